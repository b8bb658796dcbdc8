"""Matrices of a known condition, whose determinants are about 1; also such as cannot do without exchanging rows."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, n, options = axes["batch"], axes["size"], {"generator": generator, "device": generator.device}
    sizes = 2 ** (2 * torch.rand((batch, n), dtype=torch.float64, **options) - 1)  # singular values from 1/2 to 2
    sizes = sizes / sizes.log().mean(1, keepdim=True).exp()
    sizes[:, 0] *= 2 ** (2 * torch.rand(batch, dtype=torch.float64, **options) - 1)  # and so is the determinant
    if name == "singular":
        sizes[1::2, -1] = 0
    a = _turned(batch, n, options) * sizes[:, None] @ _turned(batch, n, options).mT
    if name == "outlier":
        scale = 4 ** (2 * torch.rand((batch, n), dtype=torch.float64, **options) - 1)
        a = a * (scale / scale.log().mean(1, keepdim=True).exp())[:, :, None]
    if name == "permutation":
        signs = 2 * torch.randint(2, (batch, n, 1), **options) - 1
        a = signs * torch.eye(n, dtype=torch.float64, device=a.device)[torch.rand((batch, n), **options).argsort(1)]
    if name in ("large", "small"):
        power = min(3, 18 / n)  # of ten, so that the determinant is 1e18 or 1e-18, nearer to 1 where there are few rows
        a = a * 10 ** (power if name == "large" else -power)
    return {"a": a.to(getattr(torch, axes["dtype"]))}


def _turned(batch, n, options):
    """Orthogonal matrices: the rows of a random one in other orders and with other signs."""
    whole, _ = torch.linalg.qr(torch.randn((n, n), dtype=torch.float64, **options))
    signs = 2 * torch.randint(2, (batch, n, 1), **options) - 1
    return signs * whole[torch.rand((batch, n), **options).argsort(1)]
