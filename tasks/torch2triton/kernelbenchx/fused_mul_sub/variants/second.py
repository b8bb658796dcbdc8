"""addcmul of x and m to -alpha · s."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"out": torch.addcmul(-inputs["alpha"] * inputs["s"], inputs["x"], inputs["m"])}
