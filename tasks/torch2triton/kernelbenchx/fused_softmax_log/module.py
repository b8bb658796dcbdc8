"""Softmax of a logarithm along one of the last two dimensions, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, dim: int) -> torch.Tensor:
    return torch.softmax(torch.log(x.float()), dim=dim)
