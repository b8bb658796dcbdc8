"""What holds of all singular vectors, whatever their signs are and whichever of equal singular values are chosen."""

from __future__ import annotations

import torch


def relations(inputs, outputs, reference):
    a, u, s, vh = inputs["a"], outputs["u"], outputs["s"], outputs["vh"]
    k = s.shape[-1]
    residual = _size(a - u[:, :, :k] * s[:, None] @ vh[:, :k])
    return {
        "residual": residual / _size(a).clamp_min(torch.finfo(torch.float32).tiny),
        "orthogonality": torch.maximum(_skew(u), _skew(vh.mT)),
    }


def _skew(vectors):
    unit = torch.eye(vectors.shape[-1], dtype=vectors.dtype, device=vectors.device)
    return _size(vectors.mT @ vectors - unit) / _size(unit)


def _size(matrices):
    return matrices.square().sum((-2, -1)).sqrt()
