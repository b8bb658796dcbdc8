"""Layer or RMS norm of groups and a gate, by PyTorch; a mean is corrected by that of what it leaves."""

from __future__ import annotations

import torch


def reference(inputs):
    x, z = inputs["x"], inputs["z"]
    gate = None if z is None else torch.nn.functional.silu(z)
    if gate is not None and not inputs["norm_first"]:
        x = x * gate
    grouped = x.unflatten(1, (-1, inputs["group_size"]))
    mean = torch.zeros_like(grouped[..., :1])
    if not inputs["rms"]:
        mean = grouped.mean(dim=-1, keepdim=True)
        mean = mean + (grouped - mean).mean(dim=-1, keepdim=True)
    rstd = torch.rsqrt((grouped - mean).square().mean(dim=-1, keepdim=True) + inputs["eps"])
    y = ((grouped - mean) * rstd).flatten(1) * inputs["weight"]
    if inputs["bias"] is not None:
        y = y + inputs["bias"]
    if gate is not None and inputs["norm_first"]:
        y = y * gate
    return {"y": y, "mean": mean.squeeze(-1).T.flatten(), "rstd": rstd.squeeze(-1).T.flatten()}
