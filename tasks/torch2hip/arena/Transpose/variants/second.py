"""A batch of matrices transposed, by where each number comes from."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    batch, rows, cols = x.shape
    place = torch.arange(rows * cols)
    return {"y": x.reshape(batch, -1)[:, place % rows * cols + place // rows].reshape(batch, cols, rows)}
