"""SiLU, twice: PyTorch's own, and from the hyperbolic tangent."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"y": torch.nn.functional.silu(inputs["x"])}


def second_opinion(inputs):
    half = inputs["x"] / 2
    return {"y": half * (1 + torch.tanh(half))}
