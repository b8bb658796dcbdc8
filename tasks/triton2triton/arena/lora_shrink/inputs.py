"""Tokens in a random order, cut into groups of random lengths, each with another adapter and one with none."""

from __future__ import annotations

import torch

NONE = -1  # the id of no adapter


def draw(axes, name, generator):
    tokens, groups = axes["tokens"], axes["groups"]
    options = {"generator": generator, "device": generator.device}
    ids = torch.randperm(axes["adapters"], **options)
    if groups > 1:
        place = int(torch.randint(groups, (), **options))
        place = {"none_first": 0, "no_adapter": 0, "one_adapter": groups - 1}.get(name, place)
        ids = torch.cat([ids[:place], ids.new_full((1,), NONE), ids[place:]])
    cuts = torch.randint(tokens + 1, (groups - 1,), **options).sort().values
    if name in ("no_adapter", "one_adapter"):
        cuts = torch.full_like(cuts, tokens)
    elif name == "even":
        cuts = torch.arange(1, groups, device=generator.device) * tokens // groups
    elif name == "empty_ends" and groups > 2:
        cuts[0], cuts[-1] = 0, tokens
    starts = torch.cat([cuts.new_zeros(1), cuts, cuts.new_full((1,), tokens)])
    return {"order": torch.randperm(tokens, **options), "starts": starts, "ids": ids[:groups]}
