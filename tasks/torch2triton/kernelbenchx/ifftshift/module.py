"""Brings frequency 0 from the middle back to the front, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, over_planes: int, over_height: int, over_width: int) -> torch.Tensor:
    dims = tuple(dim for dim, chosen in enumerate((over_planes, over_height, over_width)) if chosen)
    return torch.fft.ifftshift(x, dim=dims)
