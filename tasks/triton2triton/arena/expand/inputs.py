"""Where the tokens of each request begin: a few per request, with some that have none or very many."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    requests, tokens = axes["requests"], axes["tokens"]
    device = generator.device
    cuts = torch.randint(tokens + 1, (requests - 1,), generator=generator, device=device).sort().values
    if name == "even":
        cuts = torch.arange(1, requests, device=device) * tokens // requests
    elif name == "one_request":
        cuts = torch.full_like(cuts, tokens)
    elif name == "no_tokens_at_the_ends" and requests > 2:
        cuts[0], cuts[-1] = 0, tokens
    return {"starts": torch.cat([cuts.new_zeros(1), cuts, cuts.new_full((1,), tokens)])}
