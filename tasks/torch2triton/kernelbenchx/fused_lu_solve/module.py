"""Solves a batch of linear systems with one right side each by LU factors, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    factors, pivots, _ = torch.linalg.lu_factor_ex(a)
    return torch.linalg.lu_solve(factors, pivots, b[:, :, None])[:, :, 0].contiguous()
