"""Positions in three dimensions of a step's tokens, one request after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    table, positions, starts = (inputs[name].tolist() for name in ("table", "positions", "starts"))
    named = ("prompt_len", "computed", "delta")
    prompt_len, computed, delta = (inputs[name].tolist() for name in named)
    for request, state in enumerate(inputs["state"].tolist()):
        begin, end = starts[request : request + 2]
        first = computed[state]
        last = first + end - begin
        counted = list(range(first + delta[state], last + delta[state]))
        for plane in range(3):
            rest = table[state][plane][first:last]
            positions[plane][begin:end] = rest if first < prompt_len[state] else counted
    return {"new_positions": torch.tensor(positions)}
