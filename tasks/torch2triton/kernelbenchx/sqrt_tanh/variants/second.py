"""Root by a power, tanh by an expm1 of -2 √x."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    e = torch.expm1(-2 * x**0.5)
    return {"y": -e / (2 + e)}
