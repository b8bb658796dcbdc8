"""Matrices of a known condition, which cannot do without exchanging rows."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, n, options = axes["batch"], axes["size"], {"generator": generator, "device": generator.device}
    sizes = 10 ** (2 * torch.rand((batch, n), dtype=torch.float64, **options) - 1)  # singular values from 1/10 to 10
    a = _turned(batch, n, options) * sizes[:, None] @ _turned(batch, n, options).mT
    if name == "outlier":
        a = a * 4 ** (2 * torch.rand((batch, n, 1), dtype=torch.float64, **options) - 1)
    if name == "permutation":
        a = torch.eye(n, dtype=torch.float64, device=a.device)[torch.rand((batch, n), **options).argsort(1)]
    if name == "zero_diagonal" and n > 1:  # all rows move on by one, with small entries above the diagonal
        a = torch.eye(n, dtype=torch.float64, device=a.device).roll(1, 0) + a.triu(1) / (4 * n)
    return {"a": a.to(getattr(torch, axes["dtype"]))}


def _turned(batch, n, options):
    """Orthogonal matrices: the rows of a random one in other orders and with other signs."""
    whole, _ = torch.linalg.qr(torch.randn((n, n), dtype=torch.float64, **options))
    signs = 2 * torch.randint(2, (batch, n, 1), **options) - 1
    return signs * whole[torch.rand((batch, n), **options).argsort(1)]
