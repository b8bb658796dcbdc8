"""What makes a matrix the Cholesky factor: its product with its transpose, a triangle of zeros, a positive diagonal."""

from __future__ import annotations

import torch


def relations(inputs, outputs, reference):
    a, factor = inputs["a"], outputs["factor"]
    lower = factor.mT if inputs["upper"] else factor
    return {
        "residual": _size(a - lower @ lower.mT) / _size(a).clamp_min(torch.finfo(torch.float32).tiny),
        "triangle": lower.triu(1).count_nonzero(),
        "diagonal": (lower.diagonal(dim1=1, dim2=2) <= 0).sum(),
    }


def _size(matrices):
    return matrices.square().sum((-2, -1)).sqrt()
