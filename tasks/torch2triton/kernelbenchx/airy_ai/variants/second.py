"""Taylor series of the differential equation from 0 to -9.5, and PyTorch's own function outside, where it is right."""

from __future__ import annotations

import math

import torch


def taylor(start, y, slope, step):
    """Return value and slope at start + step; all four may be tensors."""
    a, b, c = 0.0, y, slope  # coefficients k - 1, k and k + 1
    value, slope, power = y + c * step, c, step
    for k in range(40):
        a, b, c = b, c, (start * b + a) / ((k + 1) * (k + 2))
        slope = slope + (k + 2) * c * power
        power = power * step
        value = value + c * power
    return value, slope


def reference(inputs):
    x = inputs["x"]
    known = [(3 ** (-2 / 3) / math.gamma(2 / 3), -(3 ** (-1 / 3)) / math.gamma(1 / 3))]  # at 0, -0.5, -1, ...
    for step in range(19):
        known.append(taylor(-0.5 * step, *known[-1], -0.5))
    nearest = torch.round(-2 * x).clamp(0, 19).long()
    values, slopes = torch.tensor(known, dtype=torch.float64, device=x.device)[nearest].unbind(-1)
    inside = (x > -9.5) & (x < 0)
    y, _ = taylor(-0.5 * nearest, values, slopes, torch.where(inside, x + 0.5 * nearest, 0.0))
    return {"y": torch.where(inside, y, torch.special.airy_ai(x))}
