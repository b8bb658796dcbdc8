"""The exact or rounded quotient, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, y: torch.Tensor, rounded: int, down: int) -> torch.Tensor:
    mode = "floor" if down else "trunc" if rounded else None
    return torch.div(x, y, rounding_mode=mode)
