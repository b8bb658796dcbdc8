"""Normal numbers around another mean for each minimum, so that some lie on the bottom of GELU and others do not."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    shape = (axes["batch"], axes["rows"], axes["cols"])
    means = (axes["batch"], axes["rows"], 1) if axes["last"] else (axes["batch"], 1, axes["cols"])
    options = {"generator": generator, "device": generator.device}
    x = torch.randn(shape, **options) + 8 * torch.rand(means, **options) - 2
    if name == "outlier":
        x = torch.where(torch.rand(shape, **options) < 0.01, 20 * x, x)
    if name == "bottom":  # from either side of the least value, and far to the left of it
        x = torch.tensor([-6.0, -0.875, -0.625, -0.5, 0.0, 2.0], device=x.device)[torch.randint(6, shape, **options)]
    if name == "positive":
        x = x.abs() + 0.5
    if name == "nan":
        x = torch.where(torch.rand(shape, **options) < 0.02, torch.nan, x)
    return {"x": x.to(getattr(torch, axes["dtype"]))}
