"""The vector; that called apart has opposite elements some columns apart, so that sums nearly cancel."""

from __future__ import annotations

import math

import torch


def draw(axes, name, generator):
    cols, device = axes["cols"], generator.device
    v = 2 / math.sqrt(cols) * torch.randn(cols, generator=generator, device=device)
    if name == "outlier":
        is_large = torch.rand(cols, generator=generator, device=device) < 0.001
        is_large[torch.randint(cols, (1,), generator=generator, device=device)] = True
        v = torch.where(is_large, 20 * v, v)
    if name == "far":
        v = torch.where(v < 0, -3.0, 3.0)
    if name == "apart":
        # In float32 sums are exact, whatever the order; a library that adds parts in half must not lose all of a sum.
        half, run = cols // 2, int(math.sqrt(cols) / 4) | 1
        scale = 2.0 ** round(math.log2(128 / math.sqrt(cols)))  # sums of a few units
        numbers = scale * torch.randint(32, 64, (half,), generator=generator, device=device) / 32
        parts = [part for block in numbers.split(run) for part in (block, -block)]
        v = torch.cat([*parts, torch.zeros(cols - 2 * half, device=device)])
    return {"v": v.to(getattr(torch, axes["dtype"]))}
