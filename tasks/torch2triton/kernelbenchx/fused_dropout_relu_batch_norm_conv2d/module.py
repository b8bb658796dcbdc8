"""Convolution, batch norm, ReLU and dropout, in plain PyTorch; the mask is a hash of the seed and of each position."""

from __future__ import annotations

import torch

MULTIPLIERS = (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85, 0x27BB2EE687B0B0FD)
LOW = 0xFFFFFFFF


def mixed(words: torch.Tensor) -> torch.Tensor:
    for multiplier in MULTIPLIERS:
        words = (words ^ (words >> 32 & LOW)) * multiplier
    return words >> 32 & LOW


def forward(
    x: torch.Tensor,
    w: torch.Tensor,
    stride: int,
    padding: int,
    dilation: int,
    groups: int,
    eps: float,
    seed: torch.Tensor,
    p: float,
) -> torch.Tensor:
    y = torch.nn.functional.conv2d(x, w, None, stride, padding, dilation, groups)
    active = torch.relu(torch.nn.functional.batch_norm(y, None, None, training=True, eps=eps))
    positions = torch.arange(active.numel(), device=active.device).view(active.shape)
    keep = mixed((mixed(seed) << 32) + positions) >= p * 2**32
    return torch.where(keep, active / (1 - p), 0.0)
