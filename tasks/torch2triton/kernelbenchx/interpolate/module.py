"""Resizes images by a factor or to a size, in plain PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F

MODES = ("nearest", "bilinear", "bicubic")


def forward(
    x: torch.Tensor, quarters_h: int, quarters_w: int, mode: int, by_factor: int, align_corners: int
) -> torch.Tensor:
    corners = None if mode == 0 else bool(align_corners)
    if by_factor:
        factors = (quarters_h / 4, quarters_w / 4)
        return F.interpolate(x, scale_factor=factors, mode=MODES[mode], align_corners=corners)
    size = (x.shape[2] * quarters_h // 4, x.shape[3] * quarters_w // 4)
    return F.interpolate(x, size=size, mode=MODES[mode], align_corners=corners)
