"""The GELU in float16, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    x, approximate = inputs["x"], inputs["approximate"]
    return {"y": torch.nn.functional.gelu(x, approximate="tanh" if approximate else "none")}
