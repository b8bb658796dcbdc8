"""Divides first and rounds afterwards, by floor or trunc."""

from __future__ import annotations

import torch


def reference(inputs):
    x, y, rounded, down = inputs["x"], inputs["y"], inputs["rounded"], inputs["down"]
    quotient = x / y
    return {"out": torch.floor(quotient) if down else torch.trunc(quotient) if rounded else quotient}
