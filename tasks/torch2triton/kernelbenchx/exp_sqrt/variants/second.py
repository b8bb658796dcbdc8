"""The square root of the exponential, as the exponential of half of x."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"y": torch.exp(inputs["x"] / 2)}
