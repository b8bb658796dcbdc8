"""Least squares problems of a known condition, whose right sides are nearly combinations of the columns."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    options = {"generator": generator, "device": generator.device}
    batch, rows, cols, sides = (axes[key] for key in ("batch", "rows", "cols", "sides"))
    sizes = 10 ** (2 * torch.rand((batch, cols), dtype=torch.float64, **options) - 1)  # singular values
    if cols > 1:
        sizes[:, 0], sizes[:, -1] = 10, 0.1
    a = _turned(batch, rows, cols, options) * sizes[:, None] @ _turned(batch, cols, cols, options).mT
    if name in ("outlier", "different_scales"):
        a = a * 2 ** (2 * torch.rand((batch, 1, cols), dtype=torch.float64, **options) - 1)
    x = torch.randn((batch, cols, sides), dtype=torch.float64, **options)
    b = a @ x
    if name != "exact":
        b = b + 0.02 * torch.randn((batch, rows, sides), dtype=torch.float64, **options)
    dtype = getattr(torch, axes["dtype"])
    return {"a": a.to(dtype), "b": b.to(dtype)}


def _turned(batch, rows, cols, options):
    """Orthogonal columns: the rows of random ones in other orders and with other signs."""
    whole, _ = torch.linalg.qr(torch.randn((rows, cols), dtype=torch.float64, **options))
    signs = 2 * torch.randint(2, (batch, rows, 1), **options) - 1
    return signs * whole[torch.rand((batch, rows), **options).argsort(1)]
