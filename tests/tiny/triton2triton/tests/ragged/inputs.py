"""Requests of random lengths that add up to all tokens, and a page for each of their positions; the rest are holes."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    requests, tokens, pages = axes["requests"], axes["tokens"], axes["pages"]
    options = {"generator": generator, "device": generator.device}
    cuts = torch.randint(tokens + 1, (requests - 1,), **options).sort().values
    if name == "one_request":
        cuts = torch.full_like(cuts, tokens)
    starts = torch.cat([cuts.new_zeros(1), cuts, cuts.new_full((1,), tokens)])
    lengths = starts.diff()
    owner = torch.repeat_interleave(torch.arange(requests, device=generator.device), lengths)
    positions = torch.arange(tokens, device=generator.device) - starts[owner]
    table = torch.randint(pages, (requests, pages), **options)
    hole = torch.arange(pages, device=generator.device) >= lengths[:, None]
    return {"starts": starts, "positions": positions, "table": torch.where(hole, -1, table)}
