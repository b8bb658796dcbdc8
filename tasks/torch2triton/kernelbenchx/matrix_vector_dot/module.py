"""A vector updated by a product of matrix and vector, and its dot product with the other, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(
    a: torch.Tensor, x: torch.Tensor, y: torch.Tensor, alpha: float, beta: float
) -> tuple[torch.Tensor, torch.Tensor]:
    y.mul_(beta).add_(torch.mv(a, x), alpha=alpha)
    return y, torch.dot(y.float(), x.float())
