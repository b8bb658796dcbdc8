"""Two matrices side by side, with every column divided, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, y: torch.Tensor, divisor: torch.Tensor, down: int) -> torch.Tensor:
    return torch.div(torch.hstack([x, y]), divisor, rounding_mode="floor" if down else None)
