"""Solves a batch of systems with symmetric matrices by their LDL factors, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    factors, pivots, _ = torch.linalg.ldl_factor_ex(a)
    return torch.linalg.ldl_solve(factors, pivots, b).contiguous()
