"""The cosine embedding loss of normalised vectors, whose cosine is their product."""

from __future__ import annotations

import torch


def reference(inputs):
    u, v = (torch.nn.functional.normalize(inputs[name], dim=1) for name in ("x1", "x2"))
    cosine = (u * v).sum(1)
    loss = torch.where(inputs["target"] == 1, 1 - cosine, torch.clamp(cosine - inputs["margin"], min=0))
    return {"loss": loss.mean().reshape(1) if inputs["mean"] else loss}
