"""A quotient of exp(-2 |x|) - 1, with the sign put back."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    e = torch.expm1(-2 * x.abs())
    return {"y": -torch.sign(x) * e / (2 + e)}
