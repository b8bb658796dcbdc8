"""The elements at which a mask is true, picked one at a time, and a GELU by way of erfc or of a sigmoid."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    mask = inputs["mask"].expand_as(inputs["x"]).flatten().tolist()
    chosen = [value for value, marked in zip(inputs["x"].flatten().tolist(), mask, strict=True) if marked]
    z = torch.tensor(chosen, dtype=torch.float64) + inputs["alpha"] * inputs["other"][: len(chosen)]
    if inputs["tanh"]:
        return {"out": z * torch.sigmoid(math.sqrt(8 / math.pi) * z * (1 + 0.044715 * z * z))}
    return {"out": z * torch.special.erfc(-z / math.sqrt(2.0)) / 2}
