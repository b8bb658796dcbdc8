"""A reduced QR factorisation by Householder's reflections, one column after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    r = inputs["a"]
    batch, rows, cols = r.shape
    whole = torch.eye(rows, dtype=r.dtype, device=r.device).expand(batch, rows, rows)
    for j in range(cols):
        v = r[:, :, j].clone()
        v[:, :j] = 0
        length = v.norm(dim=1)
        v[:, j] += torch.where(v[:, j] < 0, -length, length)
        v = v / torch.where(length > 0, v.norm(dim=1), 1.0)[:, None]
        r = r - 2 * v[:, :, None] * (v[:, None, :] @ r)
        whole = whole - 2 * (whole @ v[:, :, None]) * v[:, None, :]
    return {"q": whole[:, :, :cols].contiguous(), "r": r[:, :cols].triu()}
