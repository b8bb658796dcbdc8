"""Places by their formula, and weights of the taps times values that are gathered one by one."""

from __future__ import annotations

import torch


def lattice(out, align_corners):
    i = torch.arange(out, dtype=torch.float64)
    return 2 * i / (out - 1) - 1 if align_corners else (2 * i + 1) / out - 1


def padded(u, length, padding, align_corners):
    if padding == 2:
        low, span = (0.0, length - 1.0) if align_corners else (-0.5, float(length))
        turn = torch.remainder(u - low, 2 * span) if span else torch.zeros_like(u)
        u = low + torch.minimum(turn, 2 * span - turn)  # there and back again
    return u.clamp(0, length - 1) if padding else u


def cubic(distance):
    """The kernel of cubic convolution with a = -0.75."""
    d = distance.abs()
    inner = (1.25 * d - 2.25) * d * d + 1
    return torch.where(d <= 1, inner, -0.75 * (((d - 5) * d + 8) * d - 4))


def taps(g, length, mode, padding, align_corners):
    """Pairs of a pixel and its weight."""
    u = (g + 1) / 2 * (length - 1) if align_corners else ((g + 1) * length - 1) / 2
    if mode == 2:
        tap = [u.floor() + offset for offset in range(-1, 3)]
        return [(padded(one, length, padding, align_corners), cubic(u - one)) for one in tap]
    u = padded(u, length, padding, align_corners)
    if mode == 0:
        return [(torch.round(u), torch.ones_like(u))]
    return [(u.floor(), 1 - (u - u.floor())), (u.floor() + 1, u - u.floor())]


def reference(inputs):
    x, theta, rest = inputs["x"], inputs["theta"], (inputs["mode"], inputs["padding"], inputs["align_corners"])
    batch, channels, height, width = x.shape
    across = lattice(inputs["out_w"], inputs["align_corners"])[None, None, :]
    along = lattice(inputs["out_h"], inputs["align_corners"])[None, :, None]
    g, h = (row[:, 0, None, None] * across + row[:, 1, None, None] * along + row[:, 2, None, None]
            for row in theta.unbind(1))  # fmt: skip
    y = torch.zeros((batch, channels, inputs["out_h"], inputs["out_w"]), dtype=x.dtype)
    image = torch.arange(batch)[:, None, None]
    for row, row_weight in taps(h, height, *rest):
        for col, col_weight in taps(g, width, *rest):
            known = (row >= 0) & (row < height) & (col >= 0) & (col < width)
            rows, cols = row.clamp(0, height - 1).long(), col.clamp(0, width - 1).long()
            values = x[image, :, rows, cols].movedim(-1, 1)
            y += torch.where(known, row_weight * col_weight, 0.0)[:, None] * values
    return {"y": y}
