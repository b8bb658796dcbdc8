"""One step of Adam for one weight after the other, in Python's numbers and other forms of its formulas."""

from __future__ import annotations

import math

import torch

NAMES = ("param", "grad", "m", "v", "max_v")


def stepped(x, param, grad, m, v, max_v):
    gradient = (1 - 2 * x["maximize"]) * grad + x["weight_decay"] * param
    m += (1 - x["beta1"]) * (gradient - m)
    v += (1 - x["beta2"]) * (gradient * gradient - v)
    max_v = max(max_v, v)
    unbiased = math.sqrt(1 - x["beta2"] ** x["step"])
    root = math.sqrt(max_v if x["amsgrad"] else v) + x["eps"] * unbiased
    param -= x["lr"] * unbiased / (1 - x["beta1"] ** x["step"]) * m / root
    return param, grad, m, v, max_v


def reference(inputs):
    shape = inputs["param"].shape
    columns = [inputs[name].flatten().tolist() or [0.0] * shape.numel() for name in NAMES]  # some states may be empty
    weights = [stepped(inputs, *weight) for weight in zip(*columns, strict=True)]
    found = zip(NAMES, zip(*weights, strict=True), strict=True)
    results = {name: torch.tensor(column, dtype=torch.float64).reshape(shape) for name, column in found}
    return {f"new_{name}": results[name][: len(inputs[name])] for name in NAMES if name != "grad"}
