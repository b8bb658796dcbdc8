"""The norms of products of symmetric matrices and vectors, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor, x: torch.Tensor, alpha: float, beta: float, p: float) -> tuple[torch.Tensor, torch.Tensor]:
    y = alpha * torch.bmm(a, x[:, :, None])[:, :, 0]
    y = y + beta * y
    return torch.linalg.vector_norm(y, ord=p, dim=1, dtype=torch.float32), y
