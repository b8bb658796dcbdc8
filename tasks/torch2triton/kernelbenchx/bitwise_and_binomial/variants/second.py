"""The chance of each number of successes, trial by trial: one more with the row's probability."""

from __future__ import annotations

import torch


def reference(inputs):
    trials = torch.minimum(inputs["x"] & inputs["y"], torch.full_like(inputs["x"], inputs["total"]))[:, None]
    hit = 1 / (1 + torch.exp(-inputs["logits"][:, None]))
    chances = torch.zeros(len(hit), 16, dtype=torch.float64, device=hit.device)
    chances[:, 0] = 1
    for trial in range(15):
        one_more = chances.roll(1, 1) * hit
        chances = torch.where(trial < trials, chances * (1 - hit) + one_more, chances)
    return {"counts": chances}
