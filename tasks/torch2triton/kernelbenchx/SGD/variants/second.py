"""One step of SGD for one weight after the other, in Python's numbers and other forms of its formulas."""

from __future__ import annotations

import torch

NAMES = ("param", "grad", "buf")


def stepped(x, param, grad, buf):
    gradient = (1 - 2 * x["maximize"]) * grad + x["weight_decay"] * param
    old, new = (0, 1) if x["first"] or not x["heavy"] else (x["momentum"], 1 - x["dampening"])
    buf = old * buf + new * gradient
    of_gradient, of_buf = (1, x["momentum"]) if x["nesterov"] else (0, 1)
    param -= x["lr"] * (of_gradient * gradient + of_buf * buf)
    return param, grad, buf


def reference(inputs):
    shape = inputs["param"].shape
    columns = [inputs[name].flatten().tolist() or [0.0] * shape.numel() for name in NAMES]  # some states may be empty
    weights = [stepped(inputs, *weight) for weight in zip(*columns, strict=True)]
    found = zip(NAMES, zip(*weights, strict=True), strict=True)
    results = {name: torch.tensor(column, dtype=torch.float64).reshape(shape) for name, column in found}
    return {f"new_{name}": results[name][: len(inputs[name])] for name in NAMES if name != "grad"}
