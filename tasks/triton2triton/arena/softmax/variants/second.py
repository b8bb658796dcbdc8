"""Softmax one number at a time, with an exact sum."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    rows = [_softmax(row) for row in inputs["x"].tolist()]
    return {"y": torch.tensor(rows, dtype=torch.float64).reshape(inputs["x"].shape)}


def _softmax(row):
    highest = max(row)
    if highest == -math.inf:
        return [math.nan] * len(row)
    weights = [math.exp(value - highest) for value in row]
    total = math.fsum(weights)
    return [weight / total for weight in weights]
