"""Positions of a step's tokens and lengths of its requests, by counting."""

from __future__ import annotations

import torch


def reference(inputs):
    starts, computed = inputs["starts"].tolist(), inputs["computed"].tolist()
    positions, lengths = inputs["positions"].tolist(), [0] * inputs["max_requests"]
    for request, state in enumerate(inputs["state"].tolist()):
        lengths[request] = computed[state]
        for token in range(starts[request], starts[request + 1]):
            positions[token] = lengths[request]
            lengths[request] += 1
    return {"new_positions": torch.tensor(positions), "seq_lens": torch.tensor(lengths)}
