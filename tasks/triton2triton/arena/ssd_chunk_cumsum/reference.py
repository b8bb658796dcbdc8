"""Time steps and running sums of the decays: all chunks at once, each filled up with tokens that do not count."""

from __future__ import annotations

import torch


def reference(inputs):
    dt, starts, chunk = inputs["dt"], inputs["starts"].long(), inputs["chunk"]
    if inputs["bias"] is not None:
        dt = dt + inputs["bias"]
    if inputs["softplus"]:
        dt = torch.nn.functional.softplus(dt, threshold=20)
    dt = dt.clamp(inputs["low"], inputs["high"])
    place = torch.arange(chunk, device=dt.device)
    token = (starts[:-1, None] + place).clamp(max=len(dt) - 1)
    steps = torch.where(place[:, None] < starts.diff()[:, None, None], dt[token], 0.0).permute(2, 0, 1)
    return {"sums": (steps * inputs["a"][:, None, None]).cumsum(2), "steps": steps.clone()}
