"""The standard deviation of sums, which are products with ones, as the length of what is left without their mean."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    x = inputs["x"] if inputs["dim"] == 2 else inputs["x"].mT
    sums = torch.einsum("brc,c->br", x, x.new_ones(x.shape[2]))
    length = torch.linalg.vector_norm(sums - sums.mean(1, keepdim=True), dim=1)
    return {"out": length / math.sqrt(max(0, sums.shape[1] - inputs["correction"]))}
