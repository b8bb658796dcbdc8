"""Numbers of any size, and matrices whose answer hangs on signs, ties, infinities, the last column or NaN."""

from __future__ import annotations

import math

import torch

ALPHABETS = {"ties": (-1.0, -0.5, 0.0), "infinite": (-math.inf, -math.inf, -2.0, math.inf), "empty": (-math.inf,)}


def draw(axes, name, generator):
    shape = (axes["rows"], axes["cols"])
    options = {"generator": generator, "device": generator.device}
    if name in ALPHABETS:
        values = torch.tensor(ALPHABETS[name], device=generator.device)
        return {"x": values[torch.randint(len(values), shape, **options)]}
    x = torch.randn(shape, **options)
    if name == "outlier":
        x = torch.where(torch.rand(shape, **options) < 0.001, 20 * x, x)
    if name == "negative":
        x = -x.abs() - 100
    if name == "last_column":
        x[:, -1] = 50 + x[:, -1]
    if name == "nan":
        x = torch.where(torch.rand(shape, **options) < 1 / axes["cols"], math.nan, x)
    return {"x": x}
