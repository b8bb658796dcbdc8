"""Requests whose lengths add up to all tokens, each with a row of the block table: numbers first, then holes."""

from __future__ import annotations

import torch

HOLE = -1  # no block: nobody may look here


def draw(axes, name, generator):
    requests, tokens, rows, table_width = (axes[axis] for axis in ("requests", "tokens", "rows", "table_width"))
    options = {"generator": generator, "device": generator.device}
    lengths = _lengths(requests, tokens, name, options)
    starts = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
    slack = table_width * axes["block_size"] - lengths  # how far into its row a request may have come before
    before = (torch.rand(requests, **options) * (slack + 1)).long().clamp(max=slack)
    before = {"prefill": torch.zeros_like(slack), "decode": slack}.get(name, before)
    owner = torch.repeat_interleave(torch.arange(requests, device=generator.device), lengths)
    positions = torch.arange(tokens, device=generator.device) - starts[owner] + before[owner]
    slot = torch.randperm(rows, **options)[:requests]
    used = torch.zeros(rows, dtype=torch.int64, device=generator.device)
    used[slot] = -(-(before + lengths) // axes["block_size"])
    return {"slot": slot, "starts": starts, "positions": positions, "table": _table(axes, used, options)}


def _lengths(requests, tokens, name, options):
    """Return random lengths, some of them 0; as even as they can be where each request decodes."""
    if name == "decode":
        share = torch.full((requests,), tokens // requests, device=options["device"])
        share[: tokens % requests] += 1
        return share
    cuts = torch.randint(tokens + 1, (requests - 1,), **options).sort().values
    if name == "one_request":
        cuts = torch.full_like(cuts, tokens)
    if name == "no_tokens_at_the_ends" and requests > 2:
        cuts[0], cuts[-1] = 0, tokens
    ends = torch.nn.functional.pad(cuts, (1, 0)), torch.nn.functional.pad(cuts, (0, 1), value=tokens)
    return ends[1] - ends[0]


def _table(axes, used, options):
    """Return rows of random block numbers; every second begins with those of the one before: a shared prefix."""
    table = torch.randint(axes["blocks"], (axes["rows"], axes["table_width"]), dtype=torch.int32, **options)
    shared = axes["table_width"] // 4
    pairs = axes["rows"] // 2
    table[1 : 2 * pairs : 2, :shared] = table[0 : 2 * pairs : 2, :shared]
    return table.masked_fill_(torch.arange(axes["table_width"], device=table.device) >= used[:, None], HOLE)
