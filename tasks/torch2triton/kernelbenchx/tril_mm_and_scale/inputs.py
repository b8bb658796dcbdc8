"""Square matrices of which only the lower triangle counts, also with infinity above the diagonal."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    size = axes["size"]
    a = torch.randn((size, size), generator=generator, device=generator.device)
    if name == "outlier":
        a = torch.where(torch.rand(a.shape, generator=generator, device=a.device) < 0.001, 20 * a, a)
    if name == "infinite_above":
        a = torch.where(torch.ones_like(a).tril() > 0, a, a * float("inf"))
    return {"a": a}
