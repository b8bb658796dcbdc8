"""A matrix times its transpose plus itself, where it is a scaled product plus another, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, alpha: float, beta: float) -> torch.Tensor:
    d = alpha * torch.mm(a, b) + beta * c
    return alpha * torch.mm(d, d.T) + beta * d
