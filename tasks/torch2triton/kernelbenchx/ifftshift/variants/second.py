"""The inverse shift of a spectrum: each chosen dimension is cut at n // 2, and its parts change places."""

from __future__ import annotations

import torch


def reference(inputs):
    y = inputs["x"]
    for dim, name in enumerate(("over_planes", "over_height", "over_width")):
        if inputs[name]:
            half = y.shape[dim] // 2
            y = torch.cat((y.narrow(dim, half, y.shape[dim] - half), y.narrow(dim, 0, half)), dim)
    return {"y": y}
