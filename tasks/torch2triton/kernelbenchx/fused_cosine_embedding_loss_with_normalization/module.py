"""The cosine embedding loss of normalised vectors, in plain PyTorch."""

from __future__ import annotations

import torch
from torch.nn import functional


def forward(x1: torch.Tensor, x2: torch.Tensor, target: torch.Tensor, margin: float, mean: int) -> torch.Tensor:
    x1, x2 = functional.normalize(x1.float(), dim=1), functional.normalize(x2.float(), dim=1)
    reduction = "mean" if mean else "none"
    return functional.cosine_embedding_loss(x1, x2, target, margin=margin, reduction=reduction).reshape(-1)
