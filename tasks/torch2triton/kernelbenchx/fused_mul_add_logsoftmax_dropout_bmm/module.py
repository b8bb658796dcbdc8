"""Dropout of the logarithms of a softmax and a product, in plain PyTorch; the mask is a hash of seed and position."""

from __future__ import annotations

import torch

MULTIPLIERS = (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85, 0x27BB2EE687B0B0FD)
LOW = 0xFFFFFFFF


def mixed(words: torch.Tensor) -> torch.Tensor:
    for multiplier in MULTIPLIERS:
        words = (words ^ (words >> 32 & LOW)) * multiplier
    return words >> 32 & LOW


def forward(
    a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, mat: torch.Tensor, seed: torch.Tensor, p: float
) -> torch.Tensor:
    logs = torch.log_softmax(torch.addcmul(c, a, b), dim=-1)
    positions = torch.arange(logs.numel(), device=logs.device).view(logs.shape)
    keep = mixed((mixed(seed) << 32) + positions) >= p * 2**32
    return torch.bmm(torch.where(keep, logs / (1 - p), 0.0), mat)
