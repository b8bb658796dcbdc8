"""The sigmoid of a product of matrix and vector, less a scaled vector, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor, v: torch.Tensor, other: torch.Tensor, alpha: float) -> torch.Tensor:
    return torch.sub(torch.sigmoid(torch.mv(a, v)), other, alpha=alpha)
