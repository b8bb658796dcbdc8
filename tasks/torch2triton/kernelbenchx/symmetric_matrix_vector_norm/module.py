"""The norm of a product of a symmetric matrix and a vector, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor, x: torch.Tensor, alpha: float, beta: float, p: float) -> tuple[torch.Tensor, torch.Tensor]:
    y = alpha * torch.mv(a, x)
    y = y + beta * y
    return torch.linalg.vector_norm(y, ord=p, dtype=torch.float32), y
