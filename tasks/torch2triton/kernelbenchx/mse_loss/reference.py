"""The squared error, by PyTorch in float64."""

from __future__ import annotations

import torch
import torch.nn.functional as F

REDUCTIONS = ("none", "sum", "mean")


def reference(inputs):
    loss = F.mse_loss(inputs["x"], inputs["t"], reduction=REDUCTIONS[inputs["reduction"]])
    return {"out": torch.atleast_2d(loss)}
