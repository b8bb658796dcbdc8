"""The cross entropy of two classes with logarithms written out."""

from __future__ import annotations

import torch


def reference(inputs):
    x, t, reduction = inputs["x"], inputs["t"], inputs["reduction"]
    yes, no = torch.log(x).clamp(min=-100), torch.log1p(-x).clamp(min=-100)
    loss = -torch.lerp(no, yes, t)
    if inputs["weight"] is not None:
        loss = loss * inputs["weight"]
    if reduction == 0:
        return {"out": loss}
    return {"out": loss.sum().reshape(1, 1) / (x.numel() if reduction == 2 else 1)}
