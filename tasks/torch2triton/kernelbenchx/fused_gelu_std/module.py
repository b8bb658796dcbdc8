"""The standard deviation of GELU over some dimensions, in plain PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def forward(x: torch.Tensor, correction: int, approximate: int, dim0: int, dim1: int, dim2: int) -> torch.Tensor:
    dims = [dim for dim, is_reduced in enumerate((dim0, dim1, dim2)) if is_reduced]
    g = F.gelu(x.float(), approximate="tanh" if approximate else "none")
    return torch.std(g, dims, correction=correction, keepdim=True)
