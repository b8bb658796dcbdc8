"""A matrix times a vector, the logarithm of its softmax, and dropout, in plain PyTorch; the mask is a hash."""

from __future__ import annotations

import torch

MULTIPLIERS = (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85, 0x27BB2EE687B0B0FD)
LOW = 0xFFFFFFFF


def mixed(words: torch.Tensor) -> torch.Tensor:
    for multiplier in MULTIPLIERS:
        words = (words ^ (words >> 32 & LOW)) * multiplier
    return words >> 32 & LOW


def forward(a: torch.Tensor, v: torch.Tensor, seed: torch.Tensor, p: float) -> torch.Tensor:
    logs = torch.log_softmax(torch.mv(a, v), dim=0)
    positions = torch.arange(logs.numel(), device=logs.device)
    keep = mixed((mixed(seed) << 32) + positions) >= p * 2**32
    return torch.where(keep, logs / (1 - p), 0.0)
