"""Images that are turned, scaled and shifted, in plain PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F

MODES = ("nearest", "bilinear", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


def forward(
    x: torch.Tensor, theta: torch.Tensor, out_h: int, out_w: int, mode: int, padding: int, align_corners: int
) -> torch.Tensor:
    corners = bool(align_corners)
    grid = F.affine_grid(theta, [*x.shape[:2], out_h, out_w], align_corners=corners)
    return F.grid_sample(x, grid, mode=MODES[mode], padding_mode=PADDINGS[padding], align_corners=corners)
