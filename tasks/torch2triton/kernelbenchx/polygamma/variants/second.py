"""The integral of t**n exp(-xt) / (1 - exp(-t)) with t = exp(u), whose sums converge very fast."""

from __future__ import annotations

import torch


def reference(inputs):
    x, n = inputs["x"], inputs["n"]
    t = torch.exp(torch.arange(-500, 81, dtype=torch.float64, device=x.device) / 12)
    inner = t ** (n + 1) * torch.exp(-x[..., None] * t) / -torch.expm1(-t)
    if n == 0:
        inner = torch.exp(-t) - inner
    return {"y": (-1) ** (n + 1) * inner.sum(-1) / 12 if n else inner.sum(-1) / 12}
