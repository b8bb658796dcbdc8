"""Attention key by key: numerator and denominator grow with each, under a bound of the scores known beforehand."""

from __future__ import annotations

import torch


def reference(inputs):
    q, k, v = inputs["q"], inputs["k"], inputs["v"]
    batch, heads, queries, _ = q.shape
    group, keys = heads // k.shape[1], k.shape[2]
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    last = torch.arange(queries) + keys - queries if inputs["causal"] else torch.full((queries,), keys)
    highest = torch.full((batch, heads, queries), -torch.inf, dtype=q.dtype)
    total, numerator = torch.zeros_like(highest), torch.zeros_like(q)
    for key in range(keys):
        seen = (key <= last).expand(batch, heads, queries)
        if inputs["key_mask"] is not None:
            seen = seen & inputs["key_mask"][:, key, None, None]
        score = (q * k[:, :, key, None]).sum(-1) * inputs["scale"]
        higher = torch.where(seen, torch.maximum(highest, score), highest)
        shrink = torch.where(highest == higher, torch.ones_like(score), torch.exp(highest - higher))
        weight = torch.where(seen, torch.exp(score - higher), torch.zeros_like(score))
        total = total * shrink + weight
        numerator = numerator * shrink[..., None] + weight[..., None] * v[:, :, key, None]
        highest = higher
    blind = total == 0
    o = torch.where(blind[..., None], torch.zeros_like(q), numerator / total[..., None])
    return {"o": o, "lse": torch.where(blind, -torch.inf, highest + total.log())}
