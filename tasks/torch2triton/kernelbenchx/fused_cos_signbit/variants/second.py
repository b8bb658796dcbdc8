"""The cosine from the sine of half the angle, and where it is below 0."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    c = 1 - 2 * torch.sin(x / 2).square()
    return {"c": c, "s": c < 0}
