"""What holds of every LU factorisation with partial pivoting, whichever of equally large pivots is chosen.

That no multiplier is larger than 1 is what choosing the largest pivot of a column means.
"""

from __future__ import annotations

import torch


def relations(inputs, outputs, reference):
    a, p, lower, upper = inputs["a"], outputs["p"], outputs["l"], outputs["u"]
    unit = torch.eye(*lower.shape[-2:], dtype=lower.dtype, device=lower.device)
    ones = [p.count_nonzero(axis) - 1 for axis in (-2, -1)]
    return {
        "residual": _size(a - p @ lower @ upper) / _size(a).clamp_min(torch.finfo(torch.float32).tiny),
        "permutation": ((p != 0) & (p != 1)).sum() + sum(counts.count_nonzero() for counts in ones),
        "lower": (lower.triu() - unit).count_nonzero(),
        "upper": upper.tril(-1).count_nonzero(),
        "multipliers": (lower.abs().amax((-2, -1)) - 1).clamp_min(0),
    }


def _size(matrices):
    return matrices.square().sum((-2, -1)).sqrt()
