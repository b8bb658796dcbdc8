"""Solves a batch of upper triangular systems and adds a multiple of other vectors, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor, b: torch.Tensor, y: torch.Tensor, alpha: float) -> torch.Tensor:
    x = torch.linalg.solve_triangular(a, b, upper=True)
    return (x + alpha * y).contiguous()
