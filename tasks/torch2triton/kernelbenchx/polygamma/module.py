"""The polygamma functions, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, n: int) -> torch.Tensor:
    return torch.special.polygamma(n, x)
