"""The Bessel function J1, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor) -> torch.Tensor:
    return torch.special.bessel_j1(x)
