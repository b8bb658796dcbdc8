"""The Airy function Ai: an integral along a line above the real axis, and far to the left the asymptotic series.

PyTorch's own is off by up to 3e-6 between -4 and -2.09, in double precision as well.
"""

from __future__ import annotations

import math

import torch


def integral(x):
    height = torch.where(x > 1, x.abs().sqrt(), 0.5)  # through the saddle, where nothing cancels
    fall, slope = -height, x - height**2
    total = torch.full_like(x, 0.5)
    for t in (step / 16 for step in range(1, 145)):
        total += torch.exp(fall * t**2) * torch.cos(slope * t + t**3 / 3)
    return torch.exp(height**3 / 3 - height * x) * total / (16 * math.pi)


def series(x):
    zeta = 2 / 3 * x.abs() ** 1.5
    term, sums = torch.ones_like(x), [torch.zeros_like(x), torch.zeros_like(x)]
    for k in range(24):
        sums[k % 2] += term if k % 4 < 2 else -term
        term = term * (6 * k + 1) * (6 * k + 3) * (6 * k + 5) / (216 * (k + 1) * (2 * k + 1) * zeta)
    angle = zeta - math.pi / 4
    return (sums[0] * angle.cos() + sums[1] * angle.sin()) / (math.pi**0.5 * x.abs() ** 0.25)


def reference(inputs):
    x = inputs["x"]
    return {"y": torch.where(x < -9, series(x.clamp(max=-9)), integral(x.clamp(min=-9)))}
