"""Well conditioned upper triangles, with other numbers below their diagonals."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, n, options = axes["batch"], axes["size"], {"generator": generator, "device": generator.device}
    a = torch.randn((batch, n, n), dtype=torch.float64, **options) / n**0.5
    if name == "diagonal":
        a = a.tril()
    signs = 2 * torch.randint(2, (batch, n), **options) - 1
    a.diagonal(dim1=1, dim2=2).copy_(signs * (1 + torch.rand((batch, n), dtype=torch.float64, **options)))
    if name in ("outlier", "different_scales"):
        a = a * 4 ** (2 * torch.rand((batch, n, 1), dtype=torch.float64, **options) - 1)  # 1/4 to 4
    return {"a": a.to(getattr(torch, axes["dtype"]))}
