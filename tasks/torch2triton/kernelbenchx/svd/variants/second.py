"""Singular values and vectors by Jacobi's method, one pair of columns after the other; reflections complete them."""

from __future__ import annotations

from itertools import combinations

import torch

SWEEPS = 10


def reference(inputs):
    a, full = inputs["a"], inputs["full"]
    if a.shape[1] < a.shape[2]:
        right, s, left = _factored(a.mT, full)
    else:
        left, s, right = _factored(a, full)
    return {"u": left.contiguous(), "s": s, "vh": right.mT.contiguous()}


def _factored(a, full):
    columns, k = a.clone(), a.shape[2]
    turns = torch.eye(k, dtype=a.dtype, device=a.device).repeat(len(a), 1, 1)
    for i, j in SWEEPS * list(combinations(range(k), 2)):
        x, y = columns[:, :, i], columns[:, :, j]
        angle = torch.atan2(2 * (x * y).sum(1), x.square().sum(1) - y.square().sum(1)) / 2  # the first gets longer
        sine, cosine = angle.sin(), angle.cos()
        turn = torch.stack([cosine, -sine, sine, cosine], 1).view(-1, 2, 2)
        columns[:, :, [i, j]] = columns[:, :, [i, j]] @ turn
        turns[:, :, [i, j]] = turns[:, :, [i, j]] @ turn
    order = columns.square().sum(1).argsort(1, descending=True)[:, None, :]
    columns, turns = (each.gather(2, order.expand_as(each)) for each in (columns, turns))
    q, r = torch.linalg.qr(columns, mode="complete" if full else "reduced")
    diagonal = r.diagonal(dim1=1, dim2=2)
    return q, diagonal.abs(), turns * torch.where(diagonal < 0, -1.0, 1.0).to(a.dtype)[:, None]
