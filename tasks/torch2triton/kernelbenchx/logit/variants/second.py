"""log z - log(1 - z) in place of the logarithm of a quotient."""

from __future__ import annotations

import torch


def reference(inputs):
    x, eps, clamped = inputs["x"], inputs["eps"], inputs["clamped"]
    z = torch.clamp(x, eps, 1 - eps) if clamped else x
    return {"y": torch.log(z) - torch.log1p(-z)}
