"""One step of SGD."""

from __future__ import annotations


def reference(inputs):
    x = inputs
    grad = (-x["grad"] if x["maximize"] else x["grad"]) + x["weight_decay"] * x["param"]
    buf = x["buf"]
    if x["heavy"]:
        buf = grad if x["first"] else x["momentum"] * buf + (1 - x["dampening"]) * grad
        update = grad + x["momentum"] * buf if x["nesterov"] else buf
    else:
        update = grad
    param = x["param"] - x["lr"] * update
    return {"new_param": param, "new_buf": buf}
