"""Degrees and the square root, as a share of half a turn, and as a power."""

from __future__ import annotations

import math


def reference(inputs):
    x = inputs["x"]
    return {"d": x / math.pi * 180, "r": x**0.5}
