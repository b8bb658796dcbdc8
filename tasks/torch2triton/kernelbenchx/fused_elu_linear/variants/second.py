"""A linear layer and ELU, row by row, and exp(z) - 1 as 2 tanh(z/2) / (1 - tanh(z/2))."""

from __future__ import annotations

import torch


def reference(inputs):
    x, w, bias = inputs["x"], inputs["w"], inputs["bias"]
    alpha = inputs["alpha"]
    z = torch.stack([(row * w).sum(1) for row in x])
    z = z if bias is None else z + bias
    half = torch.tanh(z.clamp(max=0) / 2)
    return {"out": torch.where(z > 0, z, alpha * 2 * half / (1 - half))}
