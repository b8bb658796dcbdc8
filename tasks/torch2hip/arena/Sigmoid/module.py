"""A scaled sigmoid in plain PyTorch: three operations."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, gain: float, limit: float) -> torch.Tensor:
    return limit * torch.sigmoid(gain * x)
