"""Binomial samples whose trials are counted by x & y, in plain PyTorch; trials are hashes of seed and position."""

from __future__ import annotations

import torch

MULTIPLIERS = (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85, 0x27BB2EE687B0B0FD)
LOW = 0xFFFFFFFF
MOST = 15


def mixed(words: torch.Tensor) -> torch.Tensor:
    for multiplier in MULTIPLIERS:
        words = (words ^ (words >> 32 & LOW)) * multiplier
    return words >> 32 & LOW


def forward(
    x: torch.Tensor, y: torch.Tensor, total: int, logits: torch.Tensor, samples: int, seed: torch.Tensor
) -> torch.Tensor:
    trials = torch.bitwise_and(x, y).clamp(max=total)[:, None]
    chance = torch.sigmoid(logits)[:, None] * 2.0**32
    positions = torch.arange(len(x) * samples, device=x.device).view(len(x), samples) * (MOST + 1)
    counts = torch.zeros_like(positions)
    for trial in range(MOST):
        counts += (mixed((mixed(seed) << 32) + positions + trial) < chance) & (trial < trials)
    return counts
