"""Rows of a table by number, twice: by indexing with two indices, and row by row."""

from __future__ import annotations

import torch


def reference(inputs):
    x, index = inputs["x"], inputs["index"].long()
    outer = torch.arange(len(x)).unsqueeze(-1)
    return {"y": x[outer, index]}


def second_opinion(inputs):
    x, index = inputs["x"], inputs["index"].long()
    pairs = zip(x, index.tolist(), strict=True)
    return {"y": torch.stack([torch.stack([table[i] for i in row]) for table, row in pairs])}
