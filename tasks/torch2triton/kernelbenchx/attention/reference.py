"""Attention by a softmax of all logits, one head after another."""

from __future__ import annotations

import torch


def reference(inputs):
    q, k, v = (inputs[name].flatten(0, 1) for name in "qkv")
    length = q.shape[1]
    behind = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
    out = torch.empty_like(v)
    for at in range(len(q)):
        logits = q[at] @ k[at].T * inputs["scale"]
        if inputs["causal"]:
            logits = logits.masked_fill(behind, -torch.inf)
        out[at] = torch.softmax(logits, dim=1) @ v[at]
    return {"out": out.view(inputs["v"].shape)}
