"""Matrices whose singular values lie in two groups, with a gap between them where a threshold may be."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    options = {"generator": generator, "device": generator.device}
    batch, rows, cols = (axes[key] for key in ("batch", "rows", "cols"))
    k = min(rows, cols)
    large = torch.rand((batch, k), dtype=torch.float64, **options) < 0.6
    large[:, 0] = True
    sizes = torch.rand((batch, k), dtype=torch.float64, **options)
    sizes = torch.where(large, 0.6 + 0.4 * sizes, 0.02 + 0.02 * sizes)
    if name == "deficient":  # rank 1, and every second one zero
        sizes[:, 1:], sizes[1::2] = 0, 0
    # A threshold is relative to the size of each matrix, and these are of many sizes.
    sizes = sizes * 16 ** (2 * torch.rand((batch, 1), dtype=torch.float64, **options) - 1)
    a = _turned(batch, rows, k, options) * sizes[:, None] @ _turned(batch, cols, k, options).mT
    gap = 0.12 + 0.08 * torch.rand(batch, dtype=torch.float64, **options)
    rcond = torch.where(torch.rand(batch, **options) < 0.5, gap, 0.001)
    return {key: value.to(getattr(torch, axes["dtype"])) for key, value in {"a": a, "rcond": rcond}.items()}


def _turned(batch, rows, cols, options):
    """Orthogonal columns: the rows of random ones in other orders and with other signs."""
    whole, _ = torch.linalg.qr(torch.randn((rows, cols), dtype=torch.float64, **options))
    signs = 2 * torch.randint(2, (batch, rows, 1), **options) - 1
    return signs * whole[torch.rand((batch, rows), **options).argsort(1)]
