"""Uniform random numbers, in plain PyTorch: a hash of the seed and of each element's position."""

from __future__ import annotations

import torch

MULTIPLIERS = (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85, 0x27BB2EE687B0B0FD)
LOW = 0xFFFFFFFF


def mixed(words: torch.Tensor) -> torch.Tensor:
    for multiplier in MULTIPLIERS:
        words = (words ^ (words >> 32 & LOW)) * multiplier
    return words


def forward(seed: torch.Tensor, rows: int, cols: int, numbers: torch.Tensor) -> None:
    positions = torch.arange(rows * cols, device=seed.device).view(rows, cols)
    bits = 24 if numbers.dtype == torch.float32 else 53  # more would be rounded, and some of them to 1
    words = mixed((mixed(seed) & ~LOW) + positions)
    numbers.copy_(words >> (64 - bits) & (1 << bits) - 1).mul_(2.0**-bits)
