"""Attention with grouped queries, a causal limit, a mask of keys: the whole matrix of weights, one head at a time."""

from __future__ import annotations

import torch


def reference(inputs):
    q, k, v = inputs["q"], inputs["k"], inputs["v"]
    batch, heads, queries, _ = q.shape
    group, keys = heads // k.shape[1], k.shape[2]
    seen = torch.ones(batch, queries, keys, dtype=torch.bool, device=q.device)
    if inputs["causal"]:
        key, query = (torch.arange(count, device=q.device) for count in (keys, queries))
        seen &= key <= query[:, None] + keys - queries
    if inputs["key_mask"] is not None:
        seen &= inputs["key_mask"][:, None, :]
    o, lse = torch.empty_like(q), q.new_empty(batch, heads, queries)
    for head in range(heads):
        scores = inputs["scale"] * q[:, head] @ k[:, head // group].transpose(1, 2)
        scores.masked_fill_(~seen, -torch.inf)
        lse[:, head] = scores.logsumexp(-1)
        weights = (scores - lse[:, head, :, None]).exp_().masked_fill_(~seen, 0.0)
        o[:, head] = weights @ v[:, head // group]
    return {"o": o, "lse": lse}
