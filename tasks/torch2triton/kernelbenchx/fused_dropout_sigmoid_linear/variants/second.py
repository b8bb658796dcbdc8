"""The gates before dropout, one output column after another."""

from __future__ import annotations

import torch


def reference(inputs):
    sums = torch.stack([(inputs["x"] * row).sum(1) for row in inputs["w"]], dim=1)
    if inputs["bias"] is not None:
        sums = sums + inputs["bias"]
    return {"out": 1 / (1 + torch.exp(-sums))}
