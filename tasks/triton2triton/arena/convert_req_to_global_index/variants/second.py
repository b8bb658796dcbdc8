"""Slots of picked positions in a paged cache: each token's request has a list of all its slots."""

from __future__ import annotations

import torch


def reference(inputs):
    size, slots, valid = inputs["block_size"], [], []
    lists = [[block * size + place for block in row for place in range(size)] for row in inputs["table"].tolist()]
    for request, picked in zip(inputs["request"].tolist(), inputs["local"].tolist(), strict=True):
        known = lists[request]
        slots.append([known[position] if 0 <= position < len(known) else -1 for position in picked])
        valid.append(sum(0 <= position < len(known) for position in picked))
    return {"slots": torch.tensor(slots), "valid": torch.tensor(valid)}
