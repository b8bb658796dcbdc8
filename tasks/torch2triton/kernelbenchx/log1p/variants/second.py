"""The logarithm of 1 + x, from the inverse hyperbolic tangent."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    return {"y": 2 * torch.atanh(x / (2 + x))}
