"""The vectors; those called apart have opposite elements far from each other, so that long sums nearly cancel."""

from __future__ import annotations

import torch

BLOCK = 4096  # of equal signs: whatever the order, sums in float32 are exact


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
        half = size // 2
        numbers = torch.randint(32, 64, (batch, half), generator=generator, device=device) / 32
        parts = [part for block in numbers.split(BLOCK, dim=1) for part in (block, -block)]
        x = torch.cat([*parts, torch.zeros((batch, size - 2 * half), device=device)], dim=1)
    return {"x": x.to(getattr(torch, axes["dtype"]))}
