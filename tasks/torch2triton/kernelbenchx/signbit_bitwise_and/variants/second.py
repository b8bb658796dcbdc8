"""The sign bit and a bitwise and, from a 1 that takes over the sign, and bit by bit what neither lacks."""

from __future__ import annotations

import torch


def reference(inputs):
    x, y = inputs["x"], inputs["y"]
    whole = torch.trunc(x).to(torch.int8)
    return {"s": torch.copysign(torch.ones_like(x), x) < 0, "a": ~(~whole | ~y)}
