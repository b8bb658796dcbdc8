"""One step of AdamW."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs
    grad = -x["grad"] if x["maximize"] else x["grad"]
    m = x["beta1"] * x["m"] + (1 - x["beta1"]) * grad
    v = x["beta2"] * x["v"] + (1 - x["beta2"]) * grad.square()
    max_v = torch.maximum(x["max_v"], v) if x["amsgrad"] else x["max_v"]
    mean, square = m / (1 - x["beta1"] ** x["step"]), (max_v if x["amsgrad"] else v) / (1 - x["beta2"] ** x["step"])
    decayed = x["param"] - x["lr"] * x["weight_decay"] * x["param"]
    param = decayed - x["lr"] * mean / (square.sqrt() + x["eps"])
    return {"new_param": param, "new_m": m, "new_v": v, "new_max_v": max_v}
