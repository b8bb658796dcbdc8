"""Symmetric matrices, also such whose eigenvalues are equal, opposite, or on the diagonal already."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, n, options = axes["batch"], axes["size"], {"generator": generator, "device": generator.device}
    g = torch.randn((batch, n, n), dtype=torch.float64, **options)
    if name == "outlier":
        g = torch.where(torch.rand((batch, n, n), **options) < 0.02, 20 * g, g)
    if name == "diagonal":
        g = torch.diag_embed(torch.randint(-2, 3, (batch, n), **options).double())
    if name == "reflection":  # one eigenvalue is -1, all others are 1
        v = g[:, :, :1] / g[:, :, :1].norm(dim=1, keepdim=True)
        g = torch.eye(n, dtype=torch.float64, device=g.device) - 2 * v @ v.mT
    if name == "rank_one":
        g = g[:, :, :1] @ g[:, :, :1].mT
    a = g.to(getattr(torch, axes["dtype"]))
    return {"a": (a + a.mT) / 2}
