"""A series of zeta values near 1 and 2, elsewhere Stirling's, and the reflection formula for what is negative."""

from __future__ import annotations

import math

import torch


def near(x):
    z = x - 1
    k = torch.arange(2, 160, dtype=torch.float64, device=x.device)
    rest = torch.special.zeta(k, torch.full_like(k, 2.0)) * (-1) ** k / k
    series = (rest * z[..., None] ** k).sum(-1)
    return series + z * (1 - 0.5772156649015329) - torch.log1p(z)


def stirling(x):
    shift = torch.arange(20, dtype=torch.float64, device=x.device)
    low, z = x < 20, torch.where(x < 20, x + 20, x)
    factors = 1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360
    series = sum(factor / z ** (2 * k + 1) for k, factor in enumerate(factors))
    product = torch.where(low, torch.log(x.clamp(max=20)[..., None] + shift).sum(-1), 0.0)
    return (z - 0.5) * (torch.log(z) - 1) + (math.log(2 * math.pi) - 1) / 2 + series - product


def above(x):
    return torch.where((x > 0.5) & (x < 2.5), near(x.clamp(0.5, 2.5)), stirling(x))


def reference(inputs):
    x = inputs["x"]
    sine = torch.sin(math.pi * (x - torch.round(x))).abs()
    reflected = math.log(math.pi) - torch.log(sine) - above(1 - x.clamp(max=0))
    return {"y": torch.where(x < 0, reflected, above(x.clamp(min=0)))}
