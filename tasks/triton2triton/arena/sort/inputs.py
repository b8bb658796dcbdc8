"""Rows of integers from the whole range of 32 bits or of floats, also ordered ones, with ties and with the extremes."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    shape, dtype = (axes["rows"], axes["cols"]), getattr(torch, axes["dtype"])
    options = {"generator": generator, "device": generator.device}
    if dtype == torch.int32:
        ends = (-(2**31), -(2**31) + 1, 0, 2**31 - 2, 2**31 - 1)
        x = torch.randint(-(2**31), 2**31, shape, dtype=torch.int32, **options)
    else:
        ends = (-torch.inf, torch.finfo(dtype).min, 0.0, torch.finfo(dtype).max, torch.inf)
        x = torch.randn(shape, **options).to(dtype)
    if name == "outlier" and dtype != torch.int32:
        x = torch.where(torch.rand(shape, **options) < 0.001, x * 20, x)
    elif name in ("ascending", "reversed"):
        x = x.sort(dim=1, descending=name == "reversed").values
    elif name == "few_values":
        x = torch.randint(-2, 3, shape, **options).to(dtype)
    elif name == "equal":
        x = x[:, :1].expand(shape)
    elif name == "extremes":
        x = torch.tensor(ends, dtype=dtype, device=x.device)[torch.randint(len(ends), shape, **options)]
    elif name == "negative":
        x = -1 - (x & 0x7FFFFFFE) if dtype == torch.int32 else -x.abs()
    return {"x": x}
