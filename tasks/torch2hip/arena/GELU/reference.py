"""GELU with the exact error function, twice: PyTorch's own, and from the complementary error function."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    return {"y": torch.nn.functional.gelu(inputs["x"], approximate="none")}


def second_opinion(inputs):
    x = inputs["x"]
    return {"y": x * torch.special.erfc(-x / math.sqrt(2)) / 2}
