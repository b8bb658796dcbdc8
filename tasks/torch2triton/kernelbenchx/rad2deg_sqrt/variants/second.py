"""x / π · 180 and x to the power one half."""

from __future__ import annotations

import math


def reference(inputs):
    x = inputs["x"]
    return {"d": x / math.pi * 180, "r": x**0.5}
