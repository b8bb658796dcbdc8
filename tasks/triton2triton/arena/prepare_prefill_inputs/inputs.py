"""Requests in the midst of their prompts, at their last chunk, and some that produce tokens already."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    requests, states, width = axes["requests"], axes["states"], axes["width"]
    options = {"generator": generator, "device": generator.device}
    lengths = _lengths(requests, axes["tokens"], width, name, options)
    decodes = (torch.rand(requests, **options) < 0.7) & (lengths <= lengths.median())
    finishes = torch.rand(requests, **options) < 0.4
    if name in ("decode", "prefill"):
        decodes = torch.full_like(decodes, name == "decode")
    if name == "last_chunks":
        finishes = torch.ones_like(finishes)
    slack = width - lengths
    before = _below(slack + 1, options)
    if name == "first_chunks":
        before = torch.zeros_like(before)
    rest = torch.where(finishes, 0, _below(slack - before + 1, options))
    state = torch.randperm(states, **options)[:requests]
    prompt_len = torch.randint(1, width + 1, (states,), **options)
    computed = torch.randint(width, (states,), **options)
    prompt_len[state] = torch.where(decodes, prompt_len[state], before + lengths + rest)
    produced = _below((width - prompt_len[state] + 1).clamp(min=1), options)
    computed[state] = torch.where(decodes, prompt_len[state] + produced, before)
    starts = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
    return {"state": state, "starts": starts, "prompt_len": prompt_len, "computed": computed}


def _below(bounds, options):
    """Return a random number from 0 up to, but not including, each of the bounds."""
    drawn = (torch.rand(bounds.shape, dtype=torch.float64, **options) * bounds).long()
    return drawn.minimum(bounds - 1)


def _lengths(requests, tokens, width, name, options):
    """Return random lengths up to the width that add up to all tokens; some are 0, and many are 1."""
    weights = torch.rand(requests, dtype=torch.float64, **options) ** 3
    if name == "one_long":
        weights = torch.zeros_like(weights)
    weights[torch.rand(requests, **options) < 0.125] = 0
    lengths = (weights * (tokens / max(1e-9, float(weights.sum())))).long().clamp(max=width)
    lengths[torch.rand(requests, **options) < 0.25] = 0
    missing = tokens - int(lengths.sum())
    room = width - lengths
    return lengths + (missing - (room.cumsum(0) - room)).clamp(min=0).minimum(room)
