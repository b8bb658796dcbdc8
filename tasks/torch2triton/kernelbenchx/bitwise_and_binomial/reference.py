"""The chance of each number of successes, by its logarithm: binomial coefficient and powers."""

from __future__ import annotations

import torch


def reference(inputs):
    logits = inputs["logits"][:, None]
    trials = torch.bitwise_and(inputs["x"], inputs["y"]).clamp(max=inputs["total"]).double()[:, None]
    hit, miss = torch.sigmoid(logits), torch.sigmoid(-logits)
    hits = torch.arange(16, dtype=torch.float64, device=hit.device).expand(len(hit), 16)
    misses = (trials - hits).clamp(min=0)
    ways = torch.lgamma(trials + 1) - torch.lgamma(hits + 1) - torch.lgamma(misses + 1)
    chances = torch.exp(ways + torch.xlogy(hits, hit) + torch.xlogy(misses, miss))
    return {"counts": torch.where(hits <= trials, chances, 0.0)}
