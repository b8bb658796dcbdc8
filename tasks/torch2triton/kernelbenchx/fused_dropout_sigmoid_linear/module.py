"""A linear layer, sigmoid and dropout, in plain PyTorch; the mask is a hash of seed and position."""

from __future__ import annotations

import torch

MULTIPLIERS = (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85, 0x27BB2EE687B0B0FD)
LOW = 0xFFFFFFFF


def mixed(words: torch.Tensor) -> torch.Tensor:
    for multiplier in MULTIPLIERS:
        words = (words ^ (words >> 32 & LOW)) * multiplier
    return words >> 32 & LOW


def forward(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None, seed: torch.Tensor, p: float) -> torch.Tensor:
    gates = torch.sigmoid(torch.nn.functional.linear(x, w, bias))
    positions = torch.arange(gates.numel(), device=gates.device).view(gates.shape)
    keep = mixed((mixed(seed) << 32) + positions) >= p * 2**32
    return torch.where(keep, gates / (1 - p), 0.0)
