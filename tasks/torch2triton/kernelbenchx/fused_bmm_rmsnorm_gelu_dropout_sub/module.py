"""A batch of products, RMS norm, GELU, dropout by a given mask, and a difference, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(
    a: torch.Tensor,
    b: torch.Tensor,
    other: torch.Tensor,
    eps: float,
    approximate: int,
    keep: torch.Tensor,
    p: float,
) -> torch.Tensor:
    product = torch.bmm(a, b)
    normed = torch.nn.functional.rms_norm(product, product.shape[-1:], eps=eps)
    active = torch.nn.functional.gelu(normed, approximate="tanh" if approximate else "none")
    return active * keep / (1 - p) - other
