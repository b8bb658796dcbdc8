"""Rows of a table by number, one after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    x, index = inputs["x"], inputs["index"].long()
    pairs = zip(x, index.tolist(), strict=True)
    return {"y": torch.stack([torch.stack([table[i] for i in row]) for table, row in pairs])}
