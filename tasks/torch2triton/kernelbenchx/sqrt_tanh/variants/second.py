"""The hyperbolic tangent of the square root, from the difference exp(-2 √x) - 1."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    e = torch.expm1(-2 * x**0.5)
    return {"y": -e / (2 + e)}
