"""Softmax over the middle of three dimensions, twice: PyTorch's own, and from logarithms."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"y": torch.softmax(inputs["x"], dim=1)}


def second_opinion(inputs):
    x = inputs["x"]
    return {"y": torch.exp(x - torch.logsumexp(x, dim=1, keepdim=True))}
