"""Samples pixel by pixel: weights of the taps times values that are gathered one by one."""

from __future__ import annotations

import torch


def place(g, length, padding, align_corners):
    u = (g + 1) / 2 * (length - 1) if align_corners else ((g + 1) * length - 1) / 2
    if padding == 2:
        low, span = (0.0, length - 1.0) if align_corners else (-0.5, float(length))
        turn = torch.remainder(u - low, 2 * span) if span else torch.zeros_like(u)
        u = low + torch.minimum(turn, 2 * span - turn)  # there and back again
    return u.clamp(0, length - 1) if padding else u


def taps(u, mode):
    """Pairs of a pixel and its weight."""
    if mode == 0:
        return [(torch.round(u), torch.ones_like(u))]
    return [(u.floor(), 1 - (u - u.floor())), (u.floor() + 1, u - u.floor())]


def reference(inputs):
    x, grid, mode, rest = inputs["x"], inputs["grid"], inputs["mode"], (inputs["padding"], inputs["align_corners"])
    batch, channels, height, width = x.shape
    y = torch.zeros((batch, channels, *grid.shape[1:3]), dtype=x.dtype)
    image = torch.arange(batch)[:, None, None]
    for row, row_weight in taps(place(grid[..., 1], height, *rest), mode):
        for col, col_weight in taps(place(grid[..., 0], width, *rest), mode):
            known = (row >= 0) & (row < height) & (col >= 0) & (col < width)
            rows, cols = row.clamp(0, height - 1).long(), col.clamp(0, width - 1).long()
            values = x[image, :, rows, cols].movedim(-1, 1)
            y += torch.where(known, row_weight * col_weight, 0.0)[:, None] * values
    return {"y": y}
