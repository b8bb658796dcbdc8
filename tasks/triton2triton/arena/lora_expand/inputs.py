"""Tokens in a random order, cut into groups, each with another adapter and one with none, and slices of some widths."""

from __future__ import annotations

import torch

NONE = -1  # the id of no adapter


def draw(axes, name, generator):
    tokens, groups, slices = axes["tokens"], axes["groups"], axes["slices"]
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
    rest = axes["cols"] // (2 * slices)  # the first slice is the widest, as queries are beside keys and values
    widths = torch.full((slices,), max(1, rest), device=generator.device)
    widths[0] += axes["cols"] - widths.sum()
    if name == "even":
        widths = torch.full_like(widths, axes["cols"] // slices)
        widths[: axes["cols"] % slices] += 1
    return {
        "order": torch.randperm(tokens, **options),
        "starts": torch.cat([cuts.new_zeros(1), cuts, cuts.new_full((1,), tokens)]),
        "ids": ids[:groups],
        "bounds": torch.nn.functional.pad(widths.cumsum(0), (1, 0)),
    }
