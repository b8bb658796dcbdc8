"""Requests whose pieces of prompts add up to all tokens, each with a row of ids and how much of it came before."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    requests, tokens, rows, length = (axes[axis] for axis in ("requests", "tokens", "rows", "length"))
    options = {"generator": generator, "device": generator.device}
    cuts = torch.randint(tokens + 1, (requests - 1,), **options).sort().values
    if name == "one_request":
        cuts = torch.full_like(cuts, tokens)
    elif name == "no_tokens_at_the_ends" and requests > 2:
        cuts[0], cuts[-1] = 0, tokens
    starts = torch.cat([cuts.new_zeros(1), cuts, cuts.new_full((1,), tokens)])
    slot = torch.randperm(rows, **options)[:requests]
    slack = length - 1 - starts.diff()  # one token behind the piece is read
    before = (torch.rand(requests, **options) * (slack + 1)).long().minimum(slack)
    before = {"nothing_computed": torch.zeros_like(slack), "to_the_end": slack}.get(name, before)
    computed = torch.randint(length, (rows,), **options)
    computed[slot] = before
    return {"starts": starts, "slot": slot, "computed": computed}
