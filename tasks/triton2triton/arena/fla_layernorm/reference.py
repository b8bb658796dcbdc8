"""Layer or RMS norm and a gate, by PyTorch's operators; the mean is corrected by that of what it leaves."""

from __future__ import annotations

import torch


def reference(inputs):
    x, z, rms = inputs["x"], inputs["z"], inputs["rms"]
    gate = torch.ones_like(x) if z is None else z * torch.sigmoid(z)
    before, behind = (1.0, gate) if inputs["norm_first"] else (gate, 1.0)
    x = x * before
    mean = torch.zeros_like(x[:, :1])
    for _ in range(0 if rms else 2):
        mean = mean + (x - mean).mean(dim=-1, keepdim=True)
    rstd = torch.rsqrt((x - mean).square().mean(dim=-1, keepdim=True) + inputs["eps"])
    y = (x - mean) * rstd * inputs["weight"]
    if inputs["bias"] is not None:
        y = y + inputs["bias"]
    return {"y": y * behind, "mean": mean.squeeze(-1), "rstd": rstd.squeeze(-1)}
