"""The standard deviation of sums, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, dim: int, correction: int) -> torch.Tensor:
    return torch.std(x.float().sum(dim), 1, correction=correction)
