"""Time steps and running sums of the decays, one token after the other."""

from __future__ import annotations

import math
from itertools import pairwise

import torch


def reference(inputs):
    a, starts, chunk = inputs["a"].tolist(), inputs["starts"].tolist(), inputs["chunk"]
    bias = [0.0] * len(a) if inputs["bias"] is None else inputs["bias"].tolist()
    columns = inputs["dt"].T.tolist()
    sums, steps = [], []
    for factor, offset, column in zip(a, bias, columns, strict=True):
        for begin, end in pairwise(starts):
            row = [_step(value + offset, inputs) for value in column[begin:end]] + [0.0] * (chunk - end + begin)
            steps.append(row)
            sums.append([factor * math.fsum(row[: last + 1]) for last in range(chunk)])
    shape = (len(a), len(starts) - 1, chunk)
    return {
        name: torch.tensor(rows, dtype=torch.float64).reshape(shape)
        for name, rows in (("sums", sums), ("steps", steps))
    }


def _step(value, inputs):
    if inputs["softplus"] and value <= 20:
        value = math.log1p(math.exp(value))
    return min(max(value, inputs["low"]), inputs["high"])
