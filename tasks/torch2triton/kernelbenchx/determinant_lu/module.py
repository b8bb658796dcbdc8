"""The determinants of a batch of matrices from their LU factors, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor) -> torch.Tensor:
    factors, pivots, _ = torch.linalg.lu_factor_ex(a)
    exchanges = (pivots != torch.arange(1, a.shape[-1] + 1, device=a.device)).sum(-1)
    return (1 - 2 * (exchanges % 2)) * factors.diagonal(dim1=-2, dim2=-1).prod(-1)
