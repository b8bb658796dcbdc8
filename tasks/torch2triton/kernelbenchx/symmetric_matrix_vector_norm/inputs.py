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
    if name == "cancelling":  # of numbers with so few bits that sums in float32 are exact, whatever the order
        few = (32 * m[:, : size // 2, : size // 2]).round().clamp(-127, 127) / 32
        signs = torch.tensor([[1.0, -1.0], [-1.0, 1.0]], device=m.device)
        m = torch.zeros_like(m)
        m[:, : size // 2 * 2, : size // 2 * 2] = torch.kron(signs, few)
    return {"a": m.to(dtype)}
