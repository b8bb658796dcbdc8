"""The logit, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"y": torch.logit(inputs["x"], inputs["eps"] if inputs["clamped"] else None)}
