"""What holds of every LDL factorisation in LAPACK's format: its pivots are valid, and it gives back the matrix."""

from __future__ import annotations

import torch


def relations(inputs, outputs, reference):
    a, factors, pivots = inputs["a"], outputs["factors"], outputs["pivots"].long()
    first, wrong = _blocks(pivots)
    residual = _size(a - _product(factors, pivots, first)) / _size(a).clamp_min(torch.finfo(torch.float32).tiny)
    return {"residual": residual, "pivots": wrong}


def _blocks(pivots):
    """Where blocks of two rows begin, and how many pivots are wrong: out of range, or not the same in both rows."""
    n = pivots.shape[1]
    first = torch.zeros_like(pivots, dtype=torch.bool)
    wrong = torch.zeros_like(pivots[:, 0])
    second = torch.zeros_like(first[:, 0])
    for k in range(n):
        pivot = pivots[:, k]
        first[:, k] = (pivot < 0) & ~second & (k + 1 < n)
        lone = (pivot < 0) & ~second & (k + 1 == n)
        least = torch.where(first[:, k], k + 2, k + 1)
        outside = ~second & ((pivot.abs() < least) | (pivot.abs() > n))
        other = second & (pivot != pivots[:, k - 1])
        wrong += (lone | outside | other).long()
        second = first[:, k]
    return first, wrong


def _product(factors, pivots, first):
    """The matrix that the factors are of: each step is undone, from the last to the first."""
    n = factors.shape[1]
    number = torch.arange(n, device=factors.device)
    second = torch.zeros_like(first)
    second[:, 1:] = first[:, :-1]
    below = torch.where(first[:, :-1], factors.diagonal(-1, 1, 2), 0.0)
    product = torch.diag_embed(factors.diagonal(dim1=1, dim2=2))
    product += torch.diag_embed(below, -1) + torch.diag_embed(below, 1)
    for k in reversed(range(n)):
        start = k + 1 + first[:, k].long()
        column = torch.where(number >= start[:, None], factors[:, :, k], 0.0)
        product = product + column[:, :, None] * product[:, k, None, :]
        product = product + product[:, :, k, None] * column[:, None, :]
        one = (k + first[:, k].long())[:, None]
        other = torch.where(second[:, k, None], one, (pivots[:, k, None].abs() - 1).clamp(0, n - 1))
        order = torch.where(number == one, other, torch.where(number == other, one, number))
        product = product.gather(1, order[:, :, None].expand_as(product))
        product = product.gather(2, order[:, None, :].expand_as(product))
    return product


def _size(matrices):
    return matrices.square().sum((-2, -1)).sqrt()
