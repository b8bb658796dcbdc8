"""Symmetric positive definite matrices of a known condition, also with rows of different scales."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, n, options = axes["batch"], axes["size"], {"generator": generator, "device": generator.device}
    g = torch.randn((batch, n, n), dtype=torch.float64, **options)
    a = g @ g.mT / n + 0.1 * torch.eye(n, dtype=torch.float64, device=g.device)  # eigenvalues from 0.1 to about 4
    if name == "diagonal":
        a = torch.diag_embed(0.1 + 4 * torch.rand((batch, n), dtype=torch.float64, **options))
    if name == "close_to_singular":  # the smallest eigenvalue is a thousandth of what it was
        a = a - 0.0999 * torch.eye(n, dtype=torch.float64, device=g.device)
    if name in ("outlier", "different_scales"):
        scale = 4 ** (2 * torch.rand((batch, n), dtype=torch.float64, **options) - 1)  # 1/4 to 4
        a = scale[:, :, None] * a * scale[:, None, :]
    a = a.to(getattr(torch, axes["dtype"]))
    return {"a": (a + a.mT) / 2}
