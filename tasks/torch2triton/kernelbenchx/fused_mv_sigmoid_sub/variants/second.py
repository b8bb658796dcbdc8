"""The sigmoid as half of 1 and a hyperbolic tangent."""

from __future__ import annotations

import torch


def reference(inputs):
    z = (inputs["a"] * inputs["v"]).sum(1)
    return {"out": (1 + torch.tanh(z / 2)) / 2 - inputs["alpha"] * inputs["other"]}
