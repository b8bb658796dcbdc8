"""Layer normalisation, twice: PyTorch's own, and from the mean and the length of what is left without it."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    x, weight, bias = inputs["x"], inputs["weight"], inputs["bias"]
    return {"y": torch.nn.functional.layer_norm(x, weight.shape, weight, bias, inputs["eps"])}


def second_opinion(inputs):
    x, cols = inputs["x"], inputs["x"].shape[-1]
    centred = x - x.sum(dim=-1, keepdim=True) / cols
    length = torch.linalg.vector_norm(centred, dim=-1, keepdim=True)
    padded = torch.hypot(length, torch.full_like(length, math.sqrt(cols * inputs["eps"])))
    return {"y": torch.addcmul(inputs["bias"], centred / padded * math.sqrt(cols), inputs["weight"])}
