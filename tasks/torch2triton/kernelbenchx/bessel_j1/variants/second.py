"""Miller's way: the recurrence of all orders downwards from 600, where any numbers do, scaled at the end."""

from __future__ import annotations

import torch


def reference(inputs):
    x = torch.where(inputs["x"] == 0, 1.0, inputs["x"])
    above, here, total = torch.zeros_like(x), torch.ones_like(x), torch.zeros_like(x)
    for order in range(600, 0, -1):
        above, here = here, 2 * order / x * here - above
        if order % 2:
            total = total + 2 * here  # an even order; all of them make 1, that of order 0 once
        size = here.abs().clamp(min=1)
        above, here, total = above / size, here / size, total / size
    return {"y": torch.where(inputs["x"] == 0, 0.0, above / (total - here))}
