"""Normal random numbers of one seed, from the standard library's generator."""

from __future__ import annotations

import random

import torch


def reference(inputs):
    generator = random.Random(int(inputs["seed"]))
    rows, cols = inputs["rows"], inputs["cols"]
    numbers = [generator.normalvariate() for _ in range(rows * cols)]
    return {"numbers": torch.tensor(numbers, dtype=torch.float64).reshape(rows, cols)}
