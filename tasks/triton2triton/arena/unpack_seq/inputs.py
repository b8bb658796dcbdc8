"""Lengths of sequences: random, at most as long as a row, some of them 0, which add up to all tokens."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    sequences, tokens, room = axes["sequences"], axes["tokens"], axes["room"]
    options = {"generator": generator, "device": generator.device}
    weights = torch.rand(sequences, dtype=torch.float64, **options)
    weights[torch.rand(sequences, **options) < 0.125] = 0
    if name == "even":
        weights = torch.ones_like(weights)
    elif name == "full_and_empty":
        weights = torch.zeros_like(weights)
    elif name == "empty_ends":
        weights[0] = weights[-1] = 0
    lengths = (weights * (tokens / max(1e-9, float(weights.sum())))).long().clamp(max=room)
    order = torch.randperm(sequences, **options)
    if name == "empty_ends" and sequences > 2:
        order = torch.arange(sequences, device=generator.device).roll(-1)
    left = (room - lengths)[order]
    missing = tokens - int(lengths.sum())
    lengths[order] += (missing - (left.cumsum(0) - left)).clamp(min=0).minimum(left)
    return {"lengths": lengths}
