"""A copy of a matrix with chosen elements from a source, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor) -> torch.Tensor:
    return torch.scatter(x, dim, index, src).contiguous()
