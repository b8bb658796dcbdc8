"""Group-wise quantisation to e4m3fn by a table of its numbers, one group after another; powers of two by doubling."""

from __future__ import annotations

import torch

TABLE = torch.arange(127, dtype=torch.uint8).view(torch.float8_e4m3fn).double()  # all numbers from 0 to 448
MIDDLES = (TABLE[1:] + TABLE[:-1]) / 2


def reference(inputs):
    x, size = inputs["x"], inputs["group_size"]
    tokens, groups = x.shape[0], x.shape[1] // size
    q, scales = torch.empty_like(x), x.new_empty(groups, tokens)
    for token in range(tokens):
        for group in range(groups):
            part = x[token, group * size : (group + 1) * size]
            scale = max(inputs["eps"], float(part.max()), -float(part.min())) / 448
            scales[group, token] = scale = _power(scale) if inputs["ue8m0"] else scale
            q[token, group * size : (group + 1) * size] = torch.copysign(_nearest((part / scale).abs()), part)
    return {"q": q, "scales": scales}


def _nearest(sizes):
    below, above = torch.searchsorted(MIDDLES, sizes), torch.searchsorted(MIDDLES, sizes, right=True)
    return TABLE[torch.where(below % 2 == 0, below, above)]  # on a middle they differ, and the even one is right


def _power(scale):
    power = 2.0**-100
    while power < scale:
        power *= 2
    return power
