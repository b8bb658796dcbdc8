"""Hermite's integral with t = exp(u), after two terms of the sum; special cases by their definition."""

from __future__ import annotations

import math

import torch


def hermite(s, q):
    t = torch.exp(torch.arange(-1200, 65, dtype=torch.float64, device=s.device) / 32)
    ratio = t / q[..., None]
    wave = torch.sin(s[..., None] * torch.atan(ratio)) / (1 + ratio**2) ** (s[..., None] / 2)
    inner = (wave * t / torch.expm1(2 * math.pi * t)).sum(-1) / 32
    return q**-s * (0.5 + q / (s - 1) + 2 * inner)


def reference(inputs):
    s, q = inputs["s"], inputs["q"]
    y = q**-s + (q + 1) ** -s + hermite(s.clamp(min=1.0005), (q + 2).clamp(min=0.25))  # others follow below
    y = torch.where((q < 0) & (s != s.floor()), math.nan, y)
    y = torch.where((q <= 0) & (q == q.floor()), math.inf, y)
    y = torch.where(s < 1, math.nan, y)
    return {"y": torch.where(s == 1, math.inf, y)}
