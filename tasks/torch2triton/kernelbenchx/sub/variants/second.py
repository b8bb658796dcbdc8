"""addcmul with -alpha in each row."""

from __future__ import annotations

import torch


def reference(inputs):
    x, y, alpha = inputs["x"], inputs["y"], inputs["alpha"]
    return {"out": torch.addcmul(x, y, torch.full_like(y, -alpha))}
