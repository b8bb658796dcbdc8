"""The sign by copysign, and De Morgan's rule for the and."""

from __future__ import annotations

import torch


def reference(inputs):
    x, y = inputs["x"], inputs["y"]
    whole = torch.trunc(x).to(torch.int8)
    return {"s": torch.copysign(torch.ones_like(x), x) < 0, "a": ~(~whole | ~y)}
