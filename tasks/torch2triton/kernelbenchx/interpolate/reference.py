"""Resized images, by PyTorch."""

from __future__ import annotations

import torch.nn.functional as F


def reference(inputs):
    x, quarters = inputs["x"], (inputs["quarters_h"], inputs["quarters_w"])
    where = {"scale_factor": tuple(number / 4 for number in quarters)}
    if not inputs["by_factor"]:
        where = {"size": tuple(length * number // 4 for length, number in zip(x.shape[2:], quarters, strict=True))}
    if inputs["mode"] == 0:  # of float64 PyTorch takes other pixels where i * r is a whole number: 292 from 90
        return {"y": F.interpolate(x.float(), mode="nearest", **where).double()}
    corners = bool(inputs["align_corners"])
    return {"y": F.interpolate(x, mode=("bilinear", "bicubic")[inputs["mode"] - 1], align_corners=corners, **where)}
