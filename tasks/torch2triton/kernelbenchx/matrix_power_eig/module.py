"""Powers of a batch of symmetric positive definite matrices by their eigenvalues, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor, k: float) -> torch.Tensor:
    values, vectors = torch.linalg.eigh(a)
    return (vectors * values[:, None] ** k) @ vectors.mT
