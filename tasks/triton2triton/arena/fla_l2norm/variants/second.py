"""Rows divided by their Euclidean norm, one at a time, with an exact sum of squares."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    rows = [_normalised(row) for row in inputs["x"].tolist()]
    return {"y": torch.tensor(rows, dtype=torch.float64).reshape(inputs["x"].shape)}


def _normalised(row):
    norm = math.sqrt(math.fsum(value * value for value in row) + 1e-6)
    return [value / norm for value in row]
