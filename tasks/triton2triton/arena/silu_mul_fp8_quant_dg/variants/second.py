"""silu(gate) * up of the rows that hold a token, one number after another; fp8 numbers come from a table."""

from __future__ import annotations

import bisect
import math
from itertools import pairwise

import torch

TABLE = torch.arange(127, dtype=torch.uint8).view(torch.float8_e4m3fn).tolist()  # all numbers from 0 to 448
MIDDLES = [(low + high) / 2 for low, high in pairwise(TABLE)]


def reference(inputs):
    y, size = inputs["y"], inputs["group_size"]
    experts, tokens, hidden = y.shape[0], y.shape[1], y.shape[2] // 2
    q, scales = y.new_zeros(experts, tokens, hidden), y.new_zeros(experts, hidden // size, tokens)
    for expert, count in enumerate(inputs["counts"].tolist()):
        for token in range(count):
            row = y[expert, token].tolist()
            products = [gate / (1 + math.exp(-gate)) * up for gate, up in zip(row[:hidden], row[hidden:], strict=True)]
            for group in range(hidden // size):
                part = products[group * size : (group + 1) * size]
                scales[expert, group, token] = scale = max(1e-10, max(part), -min(part)) / 448
                codes = torch.tensor([_code(v / scale) for v in part], dtype=torch.float64)
                q[expert, token, group * size : (group + 1) * size] = codes
    return {"q": q, "scales": scales}


def _code(quotient):
    below, above = bisect.bisect_left(MIDDLES, abs(quotient)), bisect.bisect_right(MIDDLES, abs(quotient))
    return math.copysign(TABLE[below if below % 2 == 0 else above], quotient)  # a middle goes to the even one
