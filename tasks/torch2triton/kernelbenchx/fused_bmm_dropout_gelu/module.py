"""A batch of products, dropout and GELU, in plain PyTorch; the mask is a hash of the seed and of each position."""

from __future__ import annotations

import torch

MULTIPLIERS = (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85, 0x27BB2EE687B0B0FD)
LOW = 0xFFFFFFFF


def mixed(words: torch.Tensor) -> torch.Tensor:
    for multiplier in MULTIPLIERS:
        words = (words ^ (words >> 32 & LOW)) * multiplier
    return words >> 32 & LOW


def forward(a: torch.Tensor, b: torch.Tensor, approximate: int, seed: torch.Tensor, p: float) -> torch.Tensor:
    product = torch.bmm(a, b)
    positions = torch.arange(product.numel(), device=product.device).view(product.shape)
    keep = mixed((mixed(seed) << 32) + positions) >= p * 2**32
    dropped = torch.where(keep, product / (1 - p), 0.0)
    return torch.nn.functional.gelu(dropped, approximate="tanh" if approximate else "none")
