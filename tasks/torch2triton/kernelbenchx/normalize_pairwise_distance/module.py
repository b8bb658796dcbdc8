"""Distances between the rows of two tensors, divided by their norm, in plain PyTorch."""

from __future__ import annotations

import torch
from torch.nn import functional


def forward(
    x1: torch.Tensor, x2: torch.Tensor, p_distance: int, eps_distance: float,
    p_norm: int, dim_norm: int, eps_norm: float,
) -> torch.Tensor:  # fmt: skip
    distance = functional.pairwise_distance(x1.float(), x2.float(), p=p_distance, eps=eps_distance)
    return functional.normalize(distance, p=p_norm, dim=dim_norm, eps=eps_norm)
