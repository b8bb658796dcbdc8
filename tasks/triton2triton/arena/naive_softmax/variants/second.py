"""Softmax a row at a time, from the logarithm of an exact sum."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    rows = [_weights(row) for row in inputs["x"].tolist()]
    return {"y": torch.tensor(rows, dtype=torch.float64).reshape(inputs["x"].shape)}


def _weights(row):
    highest = max(row)
    if highest == -math.inf:
        return [math.nan for _ in row]
    logarithm = math.log(math.fsum(math.exp(value - highest) for value in row))
    return [math.exp(value - highest - logarithm) for value in row]
