"""Rows divided by their Euclidean norm, by PyTorch's operators."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    return {"y": x * torch.rsqrt(x.square().sum(dim=-1, keepdim=True) + 1e-6)}
