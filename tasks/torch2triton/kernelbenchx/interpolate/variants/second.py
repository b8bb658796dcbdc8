"""Resized images as two products with matrices of weights, one for each dimension."""

from __future__ import annotations

import torch


def cubic(distance):
    """The kernel of cubic convolution with a = -0.75."""
    d = distance.abs()
    inner = (1.25 * d - 2.25) * d * d + 1
    outer = -0.75 * (((d - 5) * d + 8) * d - 4)
    return torch.where(d <= 1, inner, torch.where(d < 2, outer, 0.0))


def weights(length, quarters, mode, by_factor, align_corners):
    """The weight of each input pixel for each output pixel: [out, length]."""
    out = length * quarters // 4
    ratio = 4 / quarters if by_factor else length / out
    i = torch.arange(out, dtype=torch.float64)
    if mode == 0:
        places = (i.float() * torch.tensor(ratio, dtype=torch.float32)).floor().long()
        return torch.nn.functional.one_hot(places.clamp(max=length - 1), length).double()
    u = (i + 0.5) * ratio - 0.5
    if align_corners:
        u = i * ((length - 1) / (out - 1) if out > 1 else 0.0)
    if mode == 1:
        u = u.clamp(0, length - 1)
        return (1 - (u[:, None] - torch.arange(length)).abs()).clamp(min=0)
    taps = u.floor()[:, None] + torch.arange(-1, 3)
    found = torch.zeros(out, length, dtype=torch.float64)
    return found.scatter_add_(1, taps.clamp(0, length - 1).long(), cubic(u[:, None] - taps))


def reference(inputs):
    x, rest = inputs["x"], (inputs["mode"], inputs["by_factor"], inputs["align_corners"])
    rows = weights(x.shape[2], inputs["quarters_h"], *rest)
    cols = weights(x.shape[3], inputs["quarters_w"], *rest)
    return {"y": rows @ x @ cols.T}
