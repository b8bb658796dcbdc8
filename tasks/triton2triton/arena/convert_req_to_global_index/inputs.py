"""Positions picked for tokens of several requests, with empty places behind them and a few that are out of range."""

from __future__ import annotations

import torch

EMPTY = -1
LEAST, LARGEST = -(2**31), 2**31 - 1


def draw(axes, name, generator):
    tokens, requests, picked = axes["tokens"], axes["requests"], axes["picked"]
    options = {"generator": generator, "device": generator.device}
    end = axes["width"] * axes["block_size"]
    context = torch.randint(1, end + 1, (tokens, 1), **options)  # how much a token may look at
    local = (torch.rand(tokens, picked, **options) * context).int().minimum(context.int() - 1)
    local.masked_fill_(torch.arange(picked, device=local.device) >= context, EMPTY)
    for place, value in enumerate((end, end - 1, LEAST, LARGEST, EMPTY)):
        odd = torch.randint(picked, (tokens,), **options)
        at = torch.arange(tokens, device=local.device)[place::7]
        local[at, odd[at]] = value
    if name == "empty":
        local.fill_(EMPTY)
    elif name == "ends":
        choices = torch.tensor([0, end - 1, end, LEAST, LARGEST], dtype=torch.int32, device=local.device)
        local = choices[torch.randint(len(choices), local.shape, **options)]
    elif name == "some_rows_empty":
        local[::2] = EMPTY
    table = torch.randint(axes["blocks"], (requests, axes["width"]), **options)
    return {"request": torch.randint(requests, (tokens,), **options), "table": table, "local": local}
