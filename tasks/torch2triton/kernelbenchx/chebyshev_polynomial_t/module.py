"""The Chebyshev polynomial of the first kind, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, n: int) -> torch.Tensor:
    return torch.special.chebyshev_polynomial_t(x, n)
