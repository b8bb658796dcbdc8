"""A batch of matrices transposed, twice: PyTorch's own, and by where each number comes from."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"y": inputs["x"].transpose(1, 2).contiguous()}


def second_opinion(inputs):
    x = inputs["x"]
    batch, rows, cols = x.shape
    place = torch.arange(rows * cols)
    return {"y": x.reshape(batch, -1)[:, place % rows * cols + place // rows].reshape(batch, cols, rows)}
