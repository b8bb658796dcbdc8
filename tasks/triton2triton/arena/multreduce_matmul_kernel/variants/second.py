"""The product element by element, as an exact sum to which the number of the row belongs."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    rows, cols = inputs["a"].tolist(), inputs["b"].t().tolist()
    biases = [0.0] * len(rows) if inputs["row_bias"] is None else inputs["row_bias"].tolist()
    out = [
        [math.fsum([bias, *map(float.__mul__, row, col)]) for col in cols]
        for row, bias in zip(rows, biases, strict=True)
    ]
    return {"out": torch.tensor(out, dtype=torch.float64)}
