"""Logarithmically spaced numbers, by PyTorch in double precision."""

from __future__ import annotations

import torch


def reference(inputs):
    start, end, steps = inputs["start"], inputs["end"], inputs["steps"]
    return {"out": torch.logspace(start, end, steps, base=inputs["base"], dtype=torch.float64)}
