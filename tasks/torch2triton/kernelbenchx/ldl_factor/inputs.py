"""Symmetric matrices with eigenvalues of both signs, also with zeros on the diagonal, where one pivot is not enough."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, n, options = axes["batch"], axes["size"], {"generator": generator, "device": generator.device}
    g = torch.randn((batch, n, n), dtype=torch.float64, **options)
    if name == "outlier":
        g = torch.where(torch.rand((batch, n, n), **options) < 0.02, 20 * g, g)
    if name == "zero_diagonal" and n > 1:
        g.diagonal(dim1=1, dim2=2).zero_()
    if name == "definite":  # every second one negative
        g = g @ g.mT / n + 0.1 * torch.eye(n, dtype=torch.float64, device=g.device)
        g[1::2] *= -1
    if name == "diagonal":
        g = torch.diag_embed(g[:, 0])
    a = g.to(getattr(torch, axes["dtype"]))
    return {"a": (a + a.mT) / 2}
