"""The cosine of n times the arc cosine, or outside of -1 and 1 the hyperbolic ones with the sign of x to the n."""

from __future__ import annotations

import torch


def reference(inputs):
    x, n = inputs["x"], inputs["n"]
    inside = torch.cos(n * torch.arccos(x.clamp(-1, 1)))
    outside = torch.cosh(n * torch.arccosh(x.abs().clamp(min=1)))
    return {"y": torch.where(x.abs() <= 1, inside, torch.where(x < 0, (-1) ** n * outside, outside))}
