"""The product, one output after another: sums of blocks first, then the sum of the scaled blocks."""

from __future__ import annotations

import torch


def reference(inputs):
    a, b, block_n, block_k = inputs["a"], inputs["b"], inputs["block_n"], inputs["block_k"]
    out = torch.empty(len(a), len(b), dtype=torch.float64)
    for row, scales in enumerate(inputs["a_scale"]):
        for col in range(len(b)):
            sums = torch.stack([part.sum() for part in (a[row] * b[col]).split(block_k)])
            out[row, col] = (sums * scales * inputs["b_scale"][col // block_n]).sum()
    return {"out": out}
