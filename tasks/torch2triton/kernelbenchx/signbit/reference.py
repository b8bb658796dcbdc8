"""The sign bit, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"y": torch.signbit(inputs["x"])}
