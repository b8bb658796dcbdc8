"""One step of Lion."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs
    direction = torch.sign(x["beta1"] * x["m"] + (1 - x["beta1"]) * x["grad"])
    param = x["param"] * (1 - x["lr"] * x["weight_decay"]) - x["lr"] * direction
    m = x["beta2"] * x["m"] + (1 - x["beta2"]) * x["grad"]
    return {"new_param": param, "new_m": m}
