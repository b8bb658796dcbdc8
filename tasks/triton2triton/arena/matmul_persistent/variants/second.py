"""Matrix product with a bias, one row after another; each sum begins with the bias."""

from __future__ import annotations

import torch


def reference(inputs):
    a, b, bias = inputs["a"], inputs["b"], inputs["bias"]
    out = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    if bias is not None:
        out += bias
    for row, total in zip(a, out, strict=True):
        total += (row[:, None] * b).sum(dim=0)
    return {"out": out}
