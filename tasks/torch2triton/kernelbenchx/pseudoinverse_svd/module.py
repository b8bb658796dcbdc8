"""The pseudoinverses of a batch of matrices, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor, rcond: torch.Tensor) -> torch.Tensor:
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    kept = s > rcond[:, None] * s[:, :1]
    inverse = torch.where(kept, 1 / s, 0.0)
    return (vh.mT * inverse[:, None]) @ u.mT
