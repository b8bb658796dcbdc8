"""The arcsine, as an angle from both legs, sine and cosine."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    return {"y": torch.atan2(x, torch.sqrt((1 - x) * (1 + x)))}
