"""Cholesky factors of symmetric positive definite matrices of a known condition."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, n, options = axes["batch"], axes["size"], {"generator": generator, "device": generator.device}
    g = torch.randn((batch, n, n), dtype=torch.float64, **options)
    a = g @ g.mT / n + 0.1 * torch.eye(n, dtype=torch.float64, device=g.device)  # eigenvalues from 0.1 to about 4
    factor = torch.linalg.cholesky_ex(a).L
    if name == "diagonal":
        factor = torch.diag_embed(0.3 + 2 * torch.rand((batch, n), dtype=torch.float64, **options))
    if name in ("outlier", "different_scales"):
        factor = factor * 4 ** (2 * torch.rand((batch, n, 1), dtype=torch.float64, **options) - 1)  # 1/4 to 4
    return {"factor": (factor.mT if axes["upper"] else factor).to(getattr(torch, axes["dtype"]))}
