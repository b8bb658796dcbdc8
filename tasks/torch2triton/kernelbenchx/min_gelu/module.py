"""The least value of GELU along a dimension and its index, in plain PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def forward(x: torch.Tensor, dim: int, approximate: int) -> tuple[torch.Tensor, torch.Tensor]:
    g = F.gelu(x.float(), approximate="tanh" if approximate else "none")
    values, indices = torch.min(g, dim)
    return values, indices
