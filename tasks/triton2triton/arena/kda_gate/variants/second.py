"""The decay of Kimi delta attention, one number at a time."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    g, a, size, bias = inputs["g"], inputs["a"].tolist(), inputs["head_dim"], inputs["bias"]
    shifts = [0.0] * g.shape[-1] if bias is None else bias.tolist()
    rows = [
        [
            -math.exp(a[column // size]) * _softplus(value + shift, inputs["beta"], inputs["threshold"])
            for column, (value, shift) in enumerate(zip(row, shifts, strict=True))
        ]
        for row in g.flatten(0, 1).tolist()
    ]
    return {"y": torch.tensor(rows, dtype=torch.float64).reshape(*g.shape[:2], len(a), size)}


def _softplus(x, beta, threshold):
    return x if beta * x > threshold else math.log1p(math.exp(beta * x)) / beta
