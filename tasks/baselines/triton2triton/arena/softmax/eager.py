"""Softmax over the last dimension, written out in PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor) -> torch.Tensor:
    values = x.float()
    weights = (values - values.amax(dim=-1, keepdim=True)).exp()
    return (weights / weights.sum(dim=-1, keepdim=True)).to(x.dtype)
