"""Dropout and hard shrinkage, in plain PyTorch; the mask is a hash of the seed and of each element's position."""

from __future__ import annotations

import torch

MULTIPLIERS = (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85, 0x27BB2EE687B0B0FD)
LOW = 0xFFFFFFFF


def mixed(words: torch.Tensor) -> torch.Tensor:
    for multiplier in MULTIPLIERS:
        words = (words ^ (words >> 32 & LOW)) * multiplier
    return words >> 32 & LOW


def forward(x: torch.Tensor, seed: torch.Tensor, p: float, lambd: int) -> torch.Tensor:
    positions = torch.arange(x.numel(), device=x.device).view(x.shape)
    keep = mixed((mixed(seed) << 32) + positions) >= p * 2**32
    dropped = torch.where(keep, x / (1 - p), 0.0)
    return torch.nn.functional.hardshrink(dropped, lambd)
