"""Slices that are repeated, and the logarithm of a softmax along them, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, repeats: torch.Tensor, dim: int, total: int) -> torch.Tensor:
    return torch.log_softmax(torch.repeat_interleave(x, repeats, dim=dim, output_size=total), dim=dim)
