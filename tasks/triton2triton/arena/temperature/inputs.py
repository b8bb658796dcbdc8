"""Rows of requests, some of which have several, each request in a slot of its own; a quarter must stay as they are."""

from __future__ import annotations

import torch

KINDS = 8  # of each eight requests one is greedy, one has the temperature 1


def draw(axes, name, generator):
    rows, slots = axes["rows"], axes["slots"]
    options = {"generator": generator, "device": generator.device}
    new_request = torch.rand(rows, **options) < 0.8
    request = new_request.long().cumsum(0) - new_request[0].long()
    if name == "one_request":
        request = torch.zeros_like(request)
    temperature = 0.1 + 1.9 * torch.rand(slots, **options)
    place = torch.randperm(slots, **options)
    kind = torch.empty_like(place)
    kind[place] = (torch.arange(slots, device=generator.device) + int(torch.randint(KINDS, (), **options))) % KINDS
    temperature[kind == 0] = 0.0
    temperature[kind == 1] = 1.0
    if name == "greedy":
        temperature.zero_()
    elif name == "neutral":
        temperature.fill_(1.0)
    elif name == "cold":
        temperature *= 0.01
    return {"slot": place[request], "temperature": temperature}
