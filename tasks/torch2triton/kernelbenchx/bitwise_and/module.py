"""The bitwise and, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.bitwise_and(x, y)
