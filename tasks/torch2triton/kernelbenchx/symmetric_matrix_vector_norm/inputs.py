"""Symmetric matrices, as half the sum of a matrix and its transpose, or with rows that add up to 0."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, size, dtype = axes["batch"], axes["size"], getattr(torch, axes["dtype"])
    m = torch.randn((batch, size, size), generator=generator, device=generator.device)
    if name == "outlier":
        m = torch.where(torch.rand(m.shape, generator=generator, device=m.device) < 0.001, 20 * m, m)
    if name == "diagonal":
        m = torch.diag_embed(m.diagonal(dim1=1, dim2=2))
    m = (m + m.mT) / 2
    if name == "cancelling":
        # In float32 sums are exact, whatever the order; a library that adds parts in half must not lose all of a sum.
        half, run = size // 2, size // 146 | 1
        few = (32 * m[:, :half, :half]).round().clamp(-127, 127) / 32
        pairs = torch.kron(few, torch.tensor([[1.0, -1.0], [-1.0, 1.0]], device=m.device))
        blocks = torch.arange(half, device=m.device).split(run)
        order = torch.cat([2 * block + second for block in blocks for second in (0, 1)])
        m = torch.zeros_like(m)
        m[:, : 2 * half, : 2 * half] = pairs[:, order][:, :, order]
    return {"a": m.to(dtype)}
