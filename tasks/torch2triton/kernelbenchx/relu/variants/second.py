"""The rectifier as a choice by the sign."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    return {"y": torch.where(x > 0, x, torch.zeros_like(x))}
