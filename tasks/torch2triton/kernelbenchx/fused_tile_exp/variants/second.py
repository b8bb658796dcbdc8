"""The exponential of a tiled matrix: every place of the output looks its element up."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    x, down, across = inputs["x"], inputs["down"], inputs["across"]
    rows = torch.arange(down * x.shape[0]) % x.shape[0]
    cols = torch.arange(across * x.shape[1]) % x.shape[1]
    return {"out": torch.pow(math.e, x)[rows[:, None], cols]}
