"""GELU in float64, rounded to float32 as the task says, and cut towards zero."""

from __future__ import annotations

import torch


def reference(inputs):
    exact = torch.nn.functional.gelu(inputs["x"].double())
    return {"y": exact.float().trunc().to(torch.int8)}
