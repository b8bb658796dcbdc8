"""Numbers of any size, and sets in which the answer hangs on the first of several or on what has no order."""

from __future__ import annotations

import math

import torch


def draw(axes, name, generator):
    shape, dtype = (axes["batch"], axes["rows"], axes["cols"]), getattr(torch, axes["dtype"])
    options = {"generator": generator, "device": generator.device}
    x = 1000 * torch.randn(shape, **options)
    if name == "outlier":
        x = torch.where(torch.rand(shape, **options) < 0.01, 20 * x, x)
    if name == "ties":  # in int32 of numbers that float32 cannot tell apart
        x = torch.randint(-2, 3, shape, **options) + (0 if dtype.is_floating_point else 2**30)
    if name == "ends":
        dim = 1 + axes["last"]
        x.select(dim, 0).fill_(2e4)
        x.select(dim, -1).fill_(3e4)
    if name == "same":  # for floats the worst of all
        x = torch.full(shape, -math.inf if dtype.is_floating_point else -3, device=x.device)
    if dtype.is_floating_point:
        if name == "zeros":
            x = torch.tensor([-0.0, 0.0], device=x.device)[torch.randint(2, shape, **options)]
        if name == "nan":
            x = torch.tensor([-math.inf, -1.0, 2.0, math.inf], device=x.device)[torch.randint(4, shape, **options)]
            x = torch.where(torch.rand(shape, **options) < 0.02, math.nan, x)
    return {"x": x.to(dtype)}
