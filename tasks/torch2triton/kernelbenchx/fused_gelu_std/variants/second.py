"""GELU written out, and its spread as the length of what is left after the mean is taken away."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    dims = [dim for dim in range(3) if inputs[f"dim{dim}"]]
    x = inputs["x"]
    if inputs["approximate"]:
        g = 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    else:
        g = x * torch.special.ndtr(x)
    count = math.prod(x.shape[dim] for dim in dims)
    length = torch.linalg.vector_norm(g - g.mean(dims, keepdim=True), dim=dims, keepdim=True)
    return {"out": length / math.sqrt(max(0, count - inputs["correction"]))}
