"""Requests with ragged numbers of new tokens, whose states lie anywhere among those of a server."""

from __future__ import annotations

import torch

LARGEST = 2**31 - 1  # a length, which is an int32


def draw(axes, name, generator):
    requests, tokens, states = axes["requests"], axes["tokens"], axes["states"]
    options = {"generator": generator, "device": generator.device}
    cuts = torch.randint(tokens + 1, (requests - 1,), **options).sort().values
    if name == "decode":
        cuts = torch.arange(1, requests, device=generator.device) * tokens // requests
    elif name == "one_request":
        cuts = torch.full_like(cuts, tokens)
    elif name == "no_tokens_at_the_ends" and requests > 2:
        cuts[0], cuts[-1] = 0, tokens
    starts = torch.cat([cuts.new_zeros(1), cuts, cuts.new_full((1,), tokens)])
    computed = torch.randint(131072, (states,), **options)
    computed[torch.rand(states, **options) < 0.25] = 0  # requests that begin
    if name == "longest":
        computed = LARGEST - tokens - torch.randint(100, (states,), **options)
    state = torch.randperm(states, **options)[:requests]
    return {"state": state, "starts": starts, "computed": computed}
