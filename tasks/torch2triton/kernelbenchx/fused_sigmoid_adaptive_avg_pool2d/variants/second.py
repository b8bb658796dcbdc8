"""Those means as a product with the weights of rows and columns, and tanh for the sigmoid."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    down, along = weights(x.shape[-2], inputs["out_h"], x.dtype), weights(x.shape[-1], inputs["out_w"], x.dtype)
    mean = down @ x @ along.mT
    return {"out": 0.5 * (1 + torch.tanh(mean / 2))}


def weights(size, cells, dtype):
    """For each cell the share that each place has in its mean."""
    share = torch.zeros((cells, size), dtype=dtype)
    for cell in range(cells):
        begin, end = cell * size // cells, -(-(cell + 1) * size // cells)
        share[cell, begin:end] = 1 / (end - begin)
    return share
