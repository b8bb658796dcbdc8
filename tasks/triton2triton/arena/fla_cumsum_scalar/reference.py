"""Running sums within chunks of time, by PyTorch's cumsum over chunks that zeros fill up."""

from __future__ import annotations

import torch


def reference(inputs):
    g, chunk = inputs["g"], inputs["chunk"]
    batch, steps, heads = g.shape
    chunks = torch.nn.functional.pad(g, (0, 0, 0, -steps % chunk)).reshape(batch, -1, chunk, heads)
    sums = chunks.flip(2).cumsum(2).flip(2) if inputs["reverse"] else chunks.cumsum(2)
    return {"out": sums.reshape(batch, -1, heads)[:, :steps].clone()}
