"""Solves a batch of least squares problems by QR factors, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    q, r = torch.linalg.qr(a)
    return torch.linalg.solve_triangular(r, q.mT @ b, upper=True).contiguous()
