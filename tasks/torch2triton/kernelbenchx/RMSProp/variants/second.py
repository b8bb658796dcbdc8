"""One step of RMSProp for one weight after the other, in Python's numbers and other forms of its formulas."""

from __future__ import annotations

import math

import torch

NAMES = ("param", "grad", "square", "mean", "buf")


def stepped(x, param, grad, square, mean, buf):
    gradient = (1 - 2 * x["maximize"]) * grad + x["weight_decay"] * param
    rest = 1 - x["alpha"]
    deviation = square - mean * mean + rest * (gradient - mean) ** 2
    square += rest * (gradient * gradient - square)
    mean += rest * (gradient - mean)
    variance = x["alpha"] * deviation if x["centered"] else square
    buf = x["momentum"] * buf + gradient / (math.sqrt(variance) + x["eps"])
    param -= x["lr"] * buf
    return param, grad, square, mean, buf


def reference(inputs):
    shape = inputs["param"].shape
    columns = [inputs[name].flatten().tolist() or [0.0] * shape.numel() for name in NAMES]  # some states may be empty
    weights = [stepped(inputs, *weight) for weight in zip(*columns, strict=True)]
    found = zip(NAMES, zip(*weights, strict=True), strict=True)
    results = {name: torch.tensor(column, dtype=torch.float64).reshape(shape) for name, column in found}
    return {f"new_{name}": results[name][: len(inputs[name])] for name in NAMES if name != "grad"}
