"""Targets of a scatter: in each line some positions, none of them twice."""

from __future__ import annotations

import torch


def draw(axes, name, generator):
    used, picked, length, device = axes["used"], axes["picked"], axes["length"], generator.device
    if name == "in_order":
        index = torch.arange(picked, device=device).repeat(used, 1)
    elif name == "backwards":
        index = torch.arange(length - 1, length - 1 - picked, -1, device=device).repeat(used, 1)
    else:
        index = torch.rand((used, length), generator=generator, device=device).argsort(1)[:, :picked]
    return {"index": (index.T if axes["down"] else index).contiguous()}
