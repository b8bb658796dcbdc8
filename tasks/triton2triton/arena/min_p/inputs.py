"""Logits that are multiples of a step, and limits in the middle between two: rounding decides about none of them."""

from __future__ import annotations

import math

import torch

STEPS = {"float32": 2.0**-10, "float16": 2.0**-6, "bfloat16": 2.0**-3}  # which the dtype holds exactly up to 32
KINDS = 8  # of each eight requests two have the share 0, one has the share 1


def draw(axes, name, generator):
    rows, vocab, slots, step = axes["rows"], axes["vocab"], axes["slots"], STEPS[axes["dtype"]]
    options = {"generator": generator, "device": generator.device}
    logits = torch.randn(rows, vocab, **options).mul_(3.0).clamp_(-30.0, 30.0).div_(step).round_().mul_(step)
    if name == "masked":
        logits[torch.rand(rows, vocab, **options) < 0.5] = -math.inf
        logits[0] = -math.inf
    elif name == "flat":
        logits.fill_(1.5)
    new_request = torch.rand(rows, **options) < 0.8
    request = new_request.long().cumsum(0) - new_request[0].long()
    if name == "one_request":
        request = torch.zeros_like(request)

    below = (-torch.log(0.01 + 0.29 * torch.rand(slots, **options)) / step).floor()
    min_p = torch.exp(-(below + 0.5) * step)
    place = torch.randperm(slots, **options)
    kind = torch.empty_like(place)
    kind[place] = (torch.arange(slots, device=generator.device) + int(torch.randint(KINDS, (), **options))) % KINDS
    min_p[kind < 2] = 0.0
    min_p[kind == 2] = 1.0
    if name == "unfiltered":
        min_p.zero_()
    elif name == "only_the_best":
        min_p.fill_(1.0)
    return {"logits": logits, "slot": place[request], "min_p": min_p}
