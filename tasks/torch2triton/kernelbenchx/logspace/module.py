"""Logarithmically spaced numbers, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(start: float, end: float, steps: int, base: int) -> torch.Tensor:
    return torch.logspace(start, end, steps, base=base, dtype=torch.float32, device="cuda")
