"""The two gates of a gated delta network, one number at a time."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    heads = list(zip(inputs["a_log"].tolist(), inputs["dt_bias"].tolist(), strict=True))
    beta, threshold = inputs["beta"], inputs["threshold"]
    g = [
        [
            -math.exp(a_log) * _softplus(a + dt_bias, beta, threshold)
            for a, (a_log, dt_bias) in zip(row, heads, strict=True)
        ]
        for row in inputs["a"].tolist()
    ]
    gate = [[_sigmoid(value) for value in row] for row in inputs["b"].tolist()]
    return {"g": torch.tensor([g], dtype=torch.float64), "gate": torch.tensor([gate], dtype=torch.float64)}


def _softplus(x, beta, threshold):
    return x if beta * x > threshold else math.log1p(math.exp(beta * x)) / beta


def _sigmoid(x):
    small = math.exp(-abs(x))
    return (1.0 if x > 0 else small) / (1.0 + small)
