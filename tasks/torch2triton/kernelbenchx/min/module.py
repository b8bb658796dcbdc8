"""The least element along a dimension and its index, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    values, indices = torch.min(x, dim)
    return values, indices
