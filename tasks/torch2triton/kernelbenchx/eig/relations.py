"""What holds of every orthogonal basis of eigenvectors, also where eigenvalues are equal and have many of them."""

from __future__ import annotations

import torch


def relations(inputs, outputs, reference):
    a, values, vectors = inputs["a"], outputs["values"], outputs["vectors"]
    unit = torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)
    least = torch.finfo(torch.float32).tiny
    return {
        "residual": _size(a @ vectors - vectors * values[:, None]) / _size(a).clamp_min(least),
        "orthogonality": _size(vectors.mT @ vectors - unit) / _size(unit),
    }


def _size(matrices):
    return matrices.square().sum((-2, -1)).sqrt()
