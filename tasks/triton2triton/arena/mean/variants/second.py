"""The mean along one dimension, by an exact sum of each line."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    lines = inputs["x"].movedim(inputs["dim"], -1)
    means = [_sum(line) / len(line) for line in lines.reshape(-1, lines.shape[-1]).tolist()]
    return {"y": torch.tensor(means, dtype=torch.float64).reshape(lines.shape[:-1])}


def _sum(line):
    return math.fsum(line) if all(map(math.isfinite, line)) else sum(line)
