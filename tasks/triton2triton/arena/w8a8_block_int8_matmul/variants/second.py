"""Exact sums of integers, block by block, each scaled before it is added."""

from __future__ import annotations

import torch


def reference(inputs):
    a, b = inputs["a"].long(), inputs["b"].long()
    block_n, block_k = inputs["block_n"], inputs["block_k"]
    out = torch.zeros(len(a), len(b), dtype=torch.float64)
    for block in range(-(-a.shape[1] // block_k)):
        part = slice(block * block_k, (block + 1) * block_k)
        for col in range(len(b)):
            sums = (a[:, part] * b[col, part]).sum(1).double()
            out[:, col] += sums * inputs["b_scale"][col // block_n, block] * inputs["a_scale"][:, block]
    return {"out": out}
