"""What holds of every reduced QR factorisation, whatever the signs of the columns of Q and of the rows of R are."""

from __future__ import annotations

import torch


def relations(inputs, outputs, reference):
    a, q, r = inputs["a"], outputs["q"], outputs["r"]
    unit = torch.eye(q.shape[-1], dtype=q.dtype, device=q.device)
    return {
        "residual": _size(a - q @ r) / _size(a).clamp_min(torch.finfo(torch.float32).tiny),
        "orthogonality": _size(q.mT @ q - unit) / _size(unit),
        "triangle": r.tril(-1).count_nonzero(),
    }


def _size(matrices):
    return matrices.square().sum((-2, -1)).sqrt()
