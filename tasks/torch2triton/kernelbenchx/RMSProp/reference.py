"""One step of RMSProp."""

from __future__ import annotations


def reference(inputs):
    x = inputs
    grad = (-x["grad"] if x["maximize"] else x["grad"]) + x["weight_decay"] * x["param"]
    square = x["alpha"] * x["square"] + (1 - x["alpha"]) * grad.square()
    mean, variance = x["mean"], square
    if x["centered"]:
        mean = x["alpha"] * mean + (1 - x["alpha"]) * grad
        variance = square - mean.square()
    update = grad / (variance.sqrt() + x["eps"])
    buf = x["momentum"] * x["buf"] + update if x["heavy"] else x["buf"]
    param = x["param"] - x["lr"] * (buf if x["heavy"] else update)
    return {"new_param": param, "new_square": square, "new_mean": mean, "new_buf": buf}
