"""The exact or rounded quotient, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    x, y, rounded, down = inputs["x"], inputs["y"], inputs["rounded"], inputs["down"]
    mode = "floor" if down else "trunc" if rounded else None
    return {"out": torch.div(x, y, rounding_mode=mode)}
