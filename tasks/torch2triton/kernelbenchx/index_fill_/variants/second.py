"""A tensor with chosen slices filled with a number, by a mask of the positions that are named."""

from __future__ import annotations

import torch


def reference(inputs):
    x, dim = inputs["x"], inputs["dim"]
    positions = torch.arange(x.shape[dim])
    named = (inputs["index"].remainder(x.shape[dim])[:, None] == positions).any(0)
    return {"out": torch.where(named.view([-1 if axis == dim else 1 for axis in range(3)]), inputs["value"], x)}
