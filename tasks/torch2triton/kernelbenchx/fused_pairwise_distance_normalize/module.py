"""Distances between all pairs of normalised vectors, in plain PyTorch."""

from __future__ import annotations

import torch
from torch.nn import functional


def forward(x1: torch.Tensor, x2: torch.Tensor, p: int, eps_norm: float, eps_distance: float) -> torch.Tensor:
    x1 = functional.normalize(x1.float(), p=p, dim=1, eps=eps_norm)
    x2 = functional.normalize(x2.float(), p=p, dim=1, eps=eps_norm)
    distance = torch.cdist(x1, x2, p=p, compute_mode="donot_use_mm_for_euclid_dist")
    return distance.clamp(min=eps_distance)
