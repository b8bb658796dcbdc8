"""What GELU leaves of whole numbers: nothing of negative ones, one less up to 5, and then all of them."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"].clamp(min=0)
    return {"y": torch.where((x > 0) & (x < 6), x - 1, x)}
