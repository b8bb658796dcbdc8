"""The cosine of two normalised tensors' lines, in plain PyTorch."""

from __future__ import annotations

import torch
from torch.nn import functional


def forward(
    x1: torch.Tensor, x2: torch.Tensor, dim: int, eps_similarity: float, p_norm: int, eps_norm: float
) -> torch.Tensor:
    x1 = functional.normalize(x1.float(), p=p_norm, dim=dim, eps=eps_norm)
    x2 = functional.normalize(x2.float(), p=p_norm, dim=dim, eps=eps_norm)
    return functional.cosine_similarity(x1, x2, dim=dim, eps=eps_similarity)
