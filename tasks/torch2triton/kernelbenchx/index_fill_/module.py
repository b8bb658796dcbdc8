"""Fills chosen slices of a tensor with a number, in place, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, dim: int, index: torch.Tensor, value: int) -> torch.Tensor:
    return x.index_fill_(dim, index, value)
