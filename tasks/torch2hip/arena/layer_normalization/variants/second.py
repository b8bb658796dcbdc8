"""Layer normalisation by the sample's deviation, from the length of what is left without the mean."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    x, cols = inputs["x"], inputs["x"].shape[-1]
    centred = x - x.sum(dim=-1, keepdim=True) / cols
    root = math.sqrt(cols - 1)
    length = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) + root * inputs["eps"]
    return {"y": torch.addcmul(inputs["bias"], centred / length * root, inputs["weight"])}
