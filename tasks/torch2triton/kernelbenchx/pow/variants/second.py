"""exp(exponent · log |x|), whose sign and NaN follow from the exponent."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    x, exponent = inputs["x"], inputs["exponent"]
    size = torch.exp(exponent * torch.log(x.abs()))
    size = torch.where(exponent == 0, torch.ones_like(size), size)
    signed = torch.where(torch.remainder(exponent, 2) == 1, -size, size)
    below = torch.where(torch.floor(exponent) == exponent, signed, torch.full_like(size, math.nan))
    return {"y": torch.where(x < 0, below, size)}
