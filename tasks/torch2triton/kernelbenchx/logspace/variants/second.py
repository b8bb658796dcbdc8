"""Logarithmically spaced numbers, one after another: the exponential of a multiple of the logarithm of the base."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    start, end, steps = inputs["start"], inputs["end"], inputs["steps"]
    log = math.log(inputs["base"])
    shares = [index / (steps - 1) for index in range(steps)] if steps > 1 else [0.0]
    values = [math.exp(log * (start * (1 - share) + end * share)) for share in shares]
    return {"out": torch.tensor(values, dtype=torch.float64)}
