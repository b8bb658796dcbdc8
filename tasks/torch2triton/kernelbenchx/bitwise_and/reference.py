"""The bitwise and, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"out": torch.bitwise_and(inputs["x"], inputs["y"])}
