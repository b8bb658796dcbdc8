"""Layer or RMS norm and a gate in either order, one row after the other, with exact sums."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    x, weight = inputs["x"].tolist(), inputs["weight"].tolist()
    gates = [None] * len(x) if inputs["z"] is None else inputs["z"].tolist()
    bias = [0.0] * len(weight) if inputs["bias"] is None else inputs["bias"].tolist()
    y, means, rstds = [], [], []
    for row, z in zip(x, gates, strict=True):
        gate = [1.0] * len(row) if z is None else [value / (1 + math.exp(-value)) for value in z]
        if not inputs["norm_first"]:
            row = [value * factor for value, factor in zip(row, gate, strict=True)]
            gate = [1.0] * len(row)
        mean = 0.0 if inputs["rms"] else math.fsum(row) / len(row)
        rstd = (math.fsum((value - mean) ** 2 for value in row) / len(row) + inputs["eps"]) ** -0.5
        columns = zip(row, weight, bias, gate, strict=True)
        y.append([((value - mean) * rstd * scale + shift) * factor for value, scale, shift, factor in columns])
        means.append(mean)
        rstds.append(rstd)
    outputs = {"y": y, "mean": means, "rstd": rstds}
    return {name: torch.tensor(values, dtype=torch.float64) for name, values in outputs.items()}
