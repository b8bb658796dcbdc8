"""An LDL factorisation with the pivots of Bunch and Kaufman, one matrix after the other."""

from __future__ import annotations

import torch

ALPHA = 0.6404  # (1 + sqrt(17)) / 8, with which blocks of one and of two rows let entries grow alike


def reference(inputs):
    found = [_factored(a.clone()) for a in inputs["a"]]
    return {"factors": torch.stack([one for one, _ in found]), "pivots": torch.stack([one for _, one in found])}


def _factored(a):
    n = len(a)
    factors, pivots = torch.zeros_like(a), torch.zeros(n, dtype=torch.int32)
    k = 0
    while k < n:
        other, wide = k, False
        largest = float(a[k + 1 :, k].abs().max()) if k + 1 < n else 0.0
        if float(a[k, k].abs()) < ALPHA * largest:
            row = k + 1 + int(a[k + 1 :, k].abs().argmax())
            beside = max(float(a[k:row, row].abs().max()), float(a[row + 1 :, row].abs().amax() if row + 1 < n else 0))
            if float(a[k, k].abs()) * beside < ALPHA * largest**2:
                other, wide = row, float(a[row, row].abs()) < ALPHA * beside
        size, here = (2, k + 1) if wide else (1, k)
        order = torch.arange(n, device=a.device)
        order[[here, other]] = order[[other, here]]
        a = a[order][:, order]
        block, rest = slice(k, k + size), slice(k + size, n)
        factors[block, block] = a[block, block].tril()
        factors[rest, block] = a[rest, block] @ _inverse(a[block, block])
        a[rest, rest] -= factors[rest, block] @ a[block, rest]
        pivots[block] = -(other + 1) if wide else other + 1
        k += size
    return factors, pivots


def _inverse(block):
    """The inverse; of a column of zeros, which needs no multipliers, zero."""
    return torch.zeros_like(block) if float(block.abs().max()) == 0 else torch.linalg.inv(block)
