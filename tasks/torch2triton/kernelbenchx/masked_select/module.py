"""The elements of a tensor at which a mask is true, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return torch.masked_select(x, mask)
