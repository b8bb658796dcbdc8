"""RMS normalisation, one row at a time, with an exact sum of squares."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    gain = [1 + value for value in inputs["gain"].tolist()] if inputs["plus_one"] else inputs["gain"].tolist()
    y, rsigma = [], []
    for row in inputs["x"].tolist():
        sigma = math.sqrt(math.fsum(value * value for value in row) / len(row) + inputs["eps"])
        y.append([value / sigma * factor for value, factor in zip(row, gain, strict=True)])
        rsigma.append(1 / sigma)
    return {"y": torch.tensor(y, dtype=torch.float64), "rsigma": torch.tensor(rsigma, dtype=torch.float64)}
