"""Images that are turned, scaled and shifted, by PyTorch."""

from __future__ import annotations

import torch.nn.functional as F


def reference(inputs):
    x, corners = inputs["x"], bool(inputs["align_corners"])
    mode = ("nearest", "bilinear", "bicubic")[inputs["mode"]]
    padding = ("zeros", "border", "reflection")[inputs["padding"]]
    grid = F.affine_grid(inputs["theta"], [*x.shape[:2], inputs["out_h"], inputs["out_w"]], align_corners=corners)
    return {"y": F.grid_sample(x, grid, mode=mode, padding_mode=padding, align_corners=corners)}
