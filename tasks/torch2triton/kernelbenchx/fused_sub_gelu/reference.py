"""The GELU of a scaled difference, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    x, y, alpha, approximate = inputs["x"], inputs["y"], inputs["alpha"], inputs["approximate"]
    return {"out": torch.nn.functional.gelu(x - alpha * y, approximate="tanh" if approximate else "none")}
