"""A sum times one of its parts, normalised by the moments of each group around its first element."""

from __future__ import annotations

import torch


def reference(inputs):
    x, y = inputs["x"], inputs["y"]
    product = x * y + y**2
    flat = product.reshape(len(x), inputs["groups"], -1)
    away = flat - flat[:, :, :1]
    mean = away.mean(2, keepdim=True)
    variance = (away**2).mean(2, keepdim=True) - mean**2
    out = ((away - mean) * torch.rsqrt(variance.clamp(min=0) + inputs["eps"])).view(x.shape)
    if inputs["weight"] is not None:
        out = out * inputs["weight"].view(-1, 1, 1)
    return {"out": out + inputs["bias"].view(-1, 1, 1)}
