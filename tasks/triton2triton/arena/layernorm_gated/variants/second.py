"""Layer or RMS norm of groups and a gate: one group of one row after the other, with exact sums."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    x, size = inputs["x"].clone(), inputs["group_size"]
    gate = torch.ones_like(x) if inputs["z"] is None else inputs["z"] / (1 + torch.exp(-inputs["z"]))
    if not inputs["norm_first"]:
        x, gate = x * gate, torch.ones_like(x)
    y, means, rstds = torch.empty_like(x), [], []
    for first in range(0, x.shape[1], size):
        columns = slice(first, first + size)
        for row, values in enumerate(x[:, columns].tolist()):
            mean = 0.0 if inputs["rms"] else math.fsum(values) / size
            distances = [value - mean for value in values]
            rstd = 1 / math.sqrt(math.fsum(distance * distance for distance in distances) / size + inputs["eps"])
            y[row, columns] = torch.tensor(distances, dtype=torch.float64) * rstd
            means.append(mean)
            rstds.append(rstd)
    y *= inputs["weight"]
    if inputs["bias"] is not None:
        y += inputs["bias"]
    return {
        "y": y * gate,
        "mean": torch.tensor(means, dtype=torch.float64),
        "rstd": torch.tensor(rstds, dtype=torch.float64),
    }
