"""z times the upper share of a normal distribution, or times a sigmoid for the approximation."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    x, y, alpha, approximate = inputs["x"], inputs["y"], inputs["alpha"], inputs["approximate"]
    z = torch.sub(x, y, alpha=alpha)
    share = torch.special.erfc(-z / math.sqrt(2.0)) / 2
    guess = torch.sigmoid(math.sqrt(8.0 / math.pi) * (z + 0.044715 * z * z * z))
    return {"out": z * (guess if approximate else share)}
