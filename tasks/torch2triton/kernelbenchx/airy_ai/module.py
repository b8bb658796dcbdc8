"""The Airy function Ai, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor) -> torch.Tensor:
    return torch.special.airy_ai(x)
