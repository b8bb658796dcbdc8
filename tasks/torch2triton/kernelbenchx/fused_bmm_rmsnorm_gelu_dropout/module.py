"""A batch of products, RMS norm, GELU and dropout, in plain PyTorch; the mask is a hash of seed and position."""

from __future__ import annotations

import torch

MULTIPLIERS = (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85, 0x27BB2EE687B0B0FD)
LOW = 0xFFFFFFFF


def mixed(words: torch.Tensor) -> torch.Tensor:
    for multiplier in MULTIPLIERS:
        words = (words ^ (words >> 32 & LOW)) * multiplier
    return words >> 32 & LOW


def forward(
    a: torch.Tensor, b: torch.Tensor, eps: float, approximate: int, seed: torch.Tensor, p: float
) -> torch.Tensor:
    product = torch.bmm(a, b)
    normed = torch.nn.functional.rms_norm(product, product.shape[-1:], eps=eps)
    active = torch.nn.functional.gelu(normed, approximate="tanh" if approximate else "none")
    positions = torch.arange(active.numel(), device=active.device).view(active.shape)
    keep = mixed((mixed(seed) << 32) + positions) >= p * 2**32
    return torch.where(keep, active / (1 - p), 0.0)
