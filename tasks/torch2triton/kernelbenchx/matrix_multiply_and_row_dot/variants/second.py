"""A dot product as a quarter of the difference of two squared lengths, of the sum and the difference of both rows."""

from __future__ import annotations

import torch


def reference(inputs):
    a, b = inputs["alpha"] * inputs["a"], inputs["b"]
    d = torch.stack([(row[:, None] * b).sum(0) for row in a]) + inputs["beta"] * inputs["c"]
    upper, lower = d.reshape(-1, 2, d.shape[1]).unbind(1)
    return {"out": ((upper + lower).square().sum(1) - (upper - lower).square().sum(1)) / 4}
