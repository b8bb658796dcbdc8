"""x times the share of a normal distribution below it, or times a sigmoid that comes near it."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    x, approximate = inputs["x"], inputs["approximate"]
    share = torch.special.erfc(-x / math.sqrt(2.0)) / 2
    guess = torch.sigmoid(math.sqrt(8.0 / math.pi) * (x + 0.044715 * x * x * x))
    return {"y": x * (guess if approximate else share)}
