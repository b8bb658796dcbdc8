"""Seven linear layers with a ReLU between each two: the bias is the weight of a column of ones, sums block by block."""

from __future__ import annotations

import torch

LAYERS = 7
BLOCK = 100


def reference(inputs):
    values = inputs["x"].T
    for layer in range(1, LAYERS + 1):
        weight = torch.column_stack([inputs[f"weight_{layer}"], inputs[f"bias_{layer}"]])
        before = torch.cat([values if layer == 1 else values.clamp(min=0), torch.ones_like(values[:1])])
        values = sum(
            torch.einsum("of,fb->ob", weight[:, first : first + BLOCK], before[first : first + BLOCK])
            for first in range(0, len(before), BLOCK)
        )
    return {"y": values.T.contiguous()}
