"""One step of Lion for one weight after the other, in Python's numbers and other forms of its formulas."""

from __future__ import annotations

import torch

NAMES = ("param", "grad", "m")


def stepped(x, param, grad, m):
    mean = grad + x["beta1"] * (m - grad)
    direction = (mean > 0) - (mean < 0)
    param -= x["lr"] * (x["weight_decay"] * param + direction)
    m += (1 - x["beta2"]) * (grad - m)
    return param, grad, m


def reference(inputs):
    shape = inputs["param"].shape
    columns = [inputs[name].flatten().tolist() or [0.0] * shape.numel() for name in NAMES]  # some states may be empty
    weights = [stepped(inputs, *weight) for weight in zip(*columns, strict=True)]
    found = zip(NAMES, zip(*weights, strict=True), strict=True)
    results = {name: torch.tensor(column, dtype=torch.float64).reshape(shape) for name, column in found}
    return {f"new_{name}": results[name][: len(inputs[name])] for name in NAMES if name != "grad"}
