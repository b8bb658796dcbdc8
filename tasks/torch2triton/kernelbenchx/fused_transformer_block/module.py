"""Softmax of a product, dropout by a given mask, a second product, residual and layer norm, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(
    x: torch.Tensor,
    w1: torch.Tensor,
    w2: torch.Tensor,
    residual: torch.Tensor,
    keep: torch.Tensor,
    p: float,
    eps: float,
) -> torch.Tensor:
    weights = torch.softmax(x @ w1, dim=-1)
    y = (weights * keep / (1 - p)) @ w2 + residual
    return torch.nn.functional.layer_norm(y, y.shape[-1:], eps=eps)
