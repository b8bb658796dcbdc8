"""The negative log-likelihood by a comparison of every class with the target."""

from __future__ import annotations

import torch


def reference(inputs):
    x, t, weight = inputs["x"], inputs["t"], inputs["weight"]
    kept = t != inputs["ignore_index"]
    weight = x.new_ones(x.shape[1]) if weight is None else weight
    chosen = (torch.arange(x.shape[1], device=x.device)[:, None] == t[:, None]) & kept[:, None]
    loss = torch.where(chosen, -weight[:, None] * x, 0.0).sum(1)
    if inputs["reduction"] == 0:
        return {"out": loss}
    share = torch.where(chosen, weight[:, None], 0.0).sum()
    return {"out": loss.sum().reshape(1, 1) / (share if inputs["reduction"] == 2 else 1)}
