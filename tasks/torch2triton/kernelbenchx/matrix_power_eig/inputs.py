"""Symmetric positive definite matrices of a known condition, also with equal eigenvalues."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, n, options = axes["batch"], axes["size"], {"generator": generator, "device": generator.device}
    values = 2 ** (2 * torch.rand((batch, n), dtype=torch.float64, **options) - 1)  # from 1/2 to 2
    if name == "outlier":
        values = values**2
    if name == "repeated":  # two that are different
        values = torch.where(torch.rand((batch, n), **options) < 0.5, 0.5, 2.0).double()
    if name == "diagonal":
        a = torch.diag_embed(values)
    else:
        whole, _ = torch.linalg.qr(torch.randn((n, n), dtype=torch.float64, **options))
        turned = whole[torch.rand((batch, n), **options).argsort(1)]  # orthogonal, as the random matrix is
        a = turned * values[:, None] @ turned.mT
    a = a.to(getattr(torch, axes["dtype"]))
    return {"a": (a + a.mT) / 2}
