"""Probabilities of every size; in special sets such as are exactly 0 or 1, or close to 0 where the target is."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    shape, options = (axes["rows"], axes["cols"]), {"generator": generator, "device": generator.device}
    x = torch.sigmoid(torch.randn(shape, **options) * (8 if name == "outlier" else 2))
    if name == "edges":
        x = torch.randint(3, shape, **options) / 2
    if name == "confident":
        x = torch.rand(shape, **options) * 2**-14
    return {"x": x.to(getattr(torch, axes["dtype"]))}
