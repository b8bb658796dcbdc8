"""erfcx(x) · exp(-x²) beside x to the power one half."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    return {"c": torch.special.erfcx(x) * torch.exp(-x * x), "r": x**0.5}
