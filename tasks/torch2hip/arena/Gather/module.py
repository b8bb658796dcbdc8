"""Rows of a table by number, with PyTorch's element-wise gather."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.gather(x, 1, index.unsqueeze(-1).expand(-1, -1, x.shape[-1]))
