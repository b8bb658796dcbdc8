"""The standard deviation as the length of what is left after the mean is taken away."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    dims = [dim for dim in range(3) if inputs[f"dim{dim}"]]
    x = inputs["x"]
    count = math.prod(x.shape[dim] for dim in dims)
    length = torch.linalg.vector_norm(x - x.mean(dims, keepdim=True), dim=dims, keepdim=True)
    return {"out": length / math.sqrt(max(0, count - inputs["correction"]))}
