"""Symmetric matrices of a known condition with eigenvalues of both signs, also with zeros on the diagonal."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    batch, n, options = axes["batch"], axes["size"], {"generator": generator, "device": generator.device}
    sizes = 10 ** (2 * torch.rand((batch, n), dtype=torch.float64, **options) - 1)  # from 1/10 to 10
    signs = 2 * torch.randint(2, (batch, n), **options) - 1
    if name == "definite":  # positive or negative
        signs = signs[:, :1].expand(batch, n)
    whole, _ = torch.linalg.qr(torch.randn((n, n), dtype=torch.float64, **options))
    order = torch.rand((batch, n), **options).argsort(1)
    turned = whole[order]  # orthogonal, as the random matrix whose rows these are
    a = turned * (signs * sizes)[:, None] @ turned.mT
    if name == "zero_diagonal" and n > 1:  # pairs of rows that are each other's columns; an odd one stays alone
        paired = torch.zeros((n, n), dtype=torch.float64, device=a.device)
        first = torch.arange(0, n - 1, 2, device=a.device)
        paired[first, first + 1] = paired[first + 1, first] = 1
        paired[n - 1, n - 1] = n % 2
        a = (paired * a.sign() * 2).gather(1, order[:, :, None].expand(-1, -1, n))
        a = a.gather(2, order[:, None, :].expand(-1, n, -1))
    if name == "outlier":
        scale = 2 ** (2 * torch.rand((batch, n), dtype=torch.float64, **options) - 1)  # 1/2 to 2
        a = scale[:, :, None] * a * scale[:, None, :]
    a = a.to(getattr(torch, axes["dtype"]))
    return {"a": (a + a.mT) / 2}
