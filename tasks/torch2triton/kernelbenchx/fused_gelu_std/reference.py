"""The standard deviation of GELU over some dimensions, by PyTorch in float64."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def reference(inputs):
    dims = [dim for dim in range(3) if inputs[f"dim{dim}"]]
    g = F.gelu(inputs["x"], approximate="tanh" if inputs["approximate"] else "none")
    return {"out": torch.std(g, dims, correction=inputs["correction"], keepdim=True)}
