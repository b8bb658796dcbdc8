"""The recurrence itself, one step after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    x, b, c = inputs["x"], inputs["b"], inputs["c"]
    batch, steps, heads, head_dim = x.shape
    group = torch.arange(heads) // (heads // b.shape[2])
    state = x.new_zeros(batch, heads, head_dim, b.shape[3])
    if inputs["initial"] is not None:
        state += inputs["initial"]
    y = torch.empty_like(x)
    for step in range(steps):
        dt = inputs["dt"][:, step, :, None, None]
        state = state * torch.exp(dt * inputs["a"][:, None, None])
        state = state + dt * x[:, step, :, :, None] * b[:, step, group, None, :]
        y[:, step] = (state * c[:, step, group, None, :]).sum(-1)
        if inputs["d"] is not None:
            y[:, step] += inputs["d"][:, None] * x[:, step]
    return {"y": y, "final": state}
