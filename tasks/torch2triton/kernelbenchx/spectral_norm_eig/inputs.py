"""Square matrices with all kinds of largest eigenvalues: one, a complex pair, or many of one size."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, n, options = axes["batch"], axes["size"], {"generator": generator, "device": generator.device}
    a = torch.randn((batch, n, n), **options)
    if name == "outlier":
        a = torch.where(torch.rand((batch, n, n), **options) < 0.02, 20 * a, a)
    if name == "symmetric":
        a = (a + a.mT) / 2
    if name == "nonnegative":
        a = a.abs()
    if name == "cyclic":  # all eigenvalues have the size of the geometric mean of the entries
        cycle = torch.eye(n, device=a.device).roll(1, 0)
        a = cycle * 2 ** (2 * torch.rand((batch, n, 1), **options) - 1)
    if name == "rotation":
        whole, _ = torch.linalg.qr(a[0])
        a = whole[torch.rand((batch, n), **options).argsort(1)]
    if name == "zero":
        a = torch.zeros_like(a)
    return {"a": a}
