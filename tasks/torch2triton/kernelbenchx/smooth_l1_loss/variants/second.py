"""The smooth absolute error in both its forms, of which one is chosen."""

from __future__ import annotations

import torch


def reference(inputs):
    x, t, reduction = inputs["x"], inputs["t"], inputs["reduction"]
    d, beta = (x - t).abs(), inputs["beta"]
    near = d.clamp(max=beta)
    loss = torch.where(d > beta, d - beta / 2, near**2 / (2 * beta)) if beta else d
    if reduction == 0:
        return {"out": loss}
    return {"out": loss.sum().reshape(1, 1) / (x.numel() if reduction == 2 else 1)}
