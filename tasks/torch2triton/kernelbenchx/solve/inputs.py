"""Random matrices, which are regular but may be close to singular; also such as cannot be solved without pivots."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, n, options = axes["batch"], axes["size"], {"generator": generator, "device": generator.device}
    a = torch.randn((batch, n, n), dtype=torch.float64, **options)
    if name == "outlier":
        a = torch.where(torch.rand((batch, n, n), **options) < 0.01, 20 * a, a)
    if name == "zero_diagonal" and n > 1:
        a.diagonal(dim1=1, dim2=2).zero_()
    if name == "permutation":
        a = torch.eye(n, dtype=torch.float64, device=a.device)[torch.rand((batch, n), **options).argsort(1)]
    return {"a": a.to(getattr(torch, axes["dtype"]))}
