"""The squared error, in plain PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F

REDUCTIONS = ("none", "sum", "mean")


def forward(x: torch.Tensor, t: torch.Tensor, reduction: int) -> torch.Tensor:
    return torch.atleast_2d(F.mse_loss(x.float(), t.float(), reduction=REDUCTIONS[reduction]))
