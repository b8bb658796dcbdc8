"""A tensor less a scaled column, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, y: torch.Tensor, alpha: float) -> torch.Tensor:
    return torch.sub(x, y, alpha=alpha)
