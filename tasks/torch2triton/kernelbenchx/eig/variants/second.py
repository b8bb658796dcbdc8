"""Eigenvalues and eigenvectors as singular values and vectors, after a shift that makes all eigenvalues positive."""

from __future__ import annotations

import torch


def reference(inputs):
    a = inputs["a"]
    shift = 2 * torch.linalg.matrix_norm(a)[:, None]
    unit = torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)
    vectors, sizes, _ = torch.linalg.svd(a + shift[:, :, None] * unit)
    return {"values": (sizes - shift).flip(1), "vectors": vectors.flip(2)}
