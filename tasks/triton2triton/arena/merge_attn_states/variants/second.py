"""Two parts of an attention, one token and head after the other, by the logistic function of how far they are apart."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    o, lse = torch.zeros_like(inputs["o1"]), torch.empty_like(inputs["lse1"])
    for head, (ones, twos) in enumerate(zip(inputs["lse1"].tolist(), inputs["lse2"].tolist(), strict=True)):
        for token, (one, two) in enumerate(zip(ones, twos, strict=True)):
            share, lse[head, token] = _merged(one, two)
            if share is not None:
                first, second = inputs["o1"][token, head], inputs["o2"][token, head]
                o[token, head] = share * first + (1 - share) * second
    return {"o": o, "lse": lse}


def _merged(one, two):
    """Return the first part's share, None if both are empty, and the merged log-sum."""
    finite = [math.isfinite(one), math.isfinite(two)]
    if finite == [False, False]:
        return None, -math.inf
    if not all(finite):
        return float(finite[0]), one if finite[0] else two
    odds = math.exp(-abs(one - two))
    larger = 1 / (1 + odds)
    return larger if one > two else 1 - larger, max(one, two) + math.log1p(odds)
