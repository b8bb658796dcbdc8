"""Symmetric matrices, as half the sum of a matrix and its transpose."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, size, dtype = axes["batch"], axes["size"], getattr(torch, axes["dtype"])
    m = torch.randn((batch, size, size), generator=generator, device=generator.device)
    if name == "outlier":
        m = torch.where(torch.rand(m.shape, generator=generator, device=m.device) < 0.001, 20 * m, m)
    if name == "diagonal":
        m = torch.diag_embed(m.diagonal(dim1=1, dim2=2))
    return {"a": ((m + m.mT) / 2).to(dtype)}
