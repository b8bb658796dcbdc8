"""Layer or RMS norm and an output gate, by PyTorch's operators; the mean is corrected by that of what it leaves."""

from __future__ import annotations

import torch


def reference(inputs):
    x, g = inputs["x"], inputs["g"]
    mean = torch.zeros_like(x[:, 0])
    if not inputs["rms"]:
        mean = x.mean(dim=-1)
        mean = mean + (x - mean[:, None]).mean(dim=-1)
    centred = x - mean[:, None]
    rstd = torch.rsqrt(centred.square().mean(dim=-1) + inputs["eps"])
    y = centred * rstd[:, None]
    if inputs["weight"] is not None:
        y = y * inputs["weight"]
    if inputs["bias"] is not None:
        y = y + inputs["bias"]
    gate = torch.nn.functional.silu(g) if inputs["swish"] else torch.sigmoid(g)
    return {"y": y * gate, "mean": mean, "rstd": rstd}
