"""copysign(1, x) is below 0 where the bit is set."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    return {"y": torch.copysign(torch.ones_like(x), x) < 0}
