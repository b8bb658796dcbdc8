"""The vectors; those called apart have opposite elements some columns apart, so that sums nearly cancel."""

from __future__ import annotations

import math

import torch


def draw(axes, name, generator):
    batch, size, device = axes["batch"], axes["size"], generator.device
    x = torch.rand((batch, size), generator=generator, device=device)
    if name == "outlier":
        is_large = torch.rand(x.shape, generator=generator, device=device) < 0.001
        is_large[:, 0] = True
        x = torch.where(is_large, 20 * x, x)
    if name == "sparse":
        x = torch.where(x < 0.5, 0.25, 1.0)
    if name == "apart":
        # In float32 sums are exact, whatever the order; a library that adds parts in half must not lose all of a sum.
        half, run = size // 2, int(math.sqrt(size) / 4) | 1
        numbers = torch.randint(32, 64, (batch, half), generator=generator, device=device) / 32
        parts = [part for block in numbers.split(run, dim=1) for part in (block, -block)]
        x = torch.cat([*parts, torch.zeros((batch, size - 2 * half), device=device)], dim=1)
    return {"x": x.to(getattr(torch, axes["dtype"]))}
