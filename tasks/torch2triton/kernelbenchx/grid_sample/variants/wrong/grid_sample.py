"""Reflection at the outermost pixels in any case, which is right with align_corners alone."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

CHANNELS = 16


@triton.jit
def place(g, length, PADDING: tl.constexpr, ALIGNED: tl.constexpr):
    """Where a number of the grid lies, in pixels."""
    u = (g + 1.0) * 0.5 * (length - 1) if ALIGNED else ((g + 1.0) * length - 1.0) * 0.5
    if PADDING == 2:
        low = 0.0
        span = tl.maximum(length - 1, 1).to(tl.float32)
        distance = tl.abs(u - low)
        turns = tl.floor(distance / span)
        rest = distance - turns * span
        u = low + tl.where(turns % 2 == 0, rest, span - rest)
    if PADDING != 0:
        u = tl.minimum(tl.maximum(u, 0.0), length - 1.0)
    return u


@triton.jit
def to_even(u):
    """The nearest whole number, of two the even one."""
    whole = tl.floor(u + 0.5)
    half = 0.5 * whole
    return tl.where((whole - u == 0.5) & (half != tl.floor(half)), whole - 1.0, whole)


@triton.jit
def is_within(row, col, height, width):
    return (row >= 0) & (row < height) & (col >= 0) & (col < width)


@triton.jit
def grid_sample_kernel(
    x_ptr, grid_ptr, y_ptr, channels, height, width, out_size,
    MODE: tl.constexpr, PADDING: tl.constexpr, ALIGNED: tl.constexpr, CHANNELS: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    image = tl.program_id(2).to(tl.int64)
    first = tl.program_id(1) * CHANNELS
    pixels = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = pixels < out_size
    at = grid_ptr + 2 * (image * out_size + pixels)
    u = place(tl.load(at, mask=inside, other=0.0), width, PADDING, ALIGNED)
    v = place(tl.load(at + 1, mask=inside, other=0.0), height, PADDING, ALIGNED)
    left = to_even(u) if MODE == 0 else tl.floor(u)
    top = to_even(v) if MODE == 0 else tl.floor(v)
    right_share, low_share = u - left, v - top
    col, row = left.to(tl.int32), top.to(tl.int32)
    corner = row * width + col
    for channel in range(first, tl.minimum(first + CHANNELS, channels)):
        plane = x_ptr + (image * channels + channel) * height * width
        value = tl.load(plane + corner, mask=inside & is_within(row, col, height, width), other=0.0)
        if MODE == 1:
            known = inside & is_within(row, col + 1, height, width)
            beside = tl.load(plane + corner + 1, mask=known, other=0.0)
            known = inside & is_within(row + 1, col, height, width)
            below = tl.load(plane + corner + width, mask=known, other=0.0)
            known = inside & is_within(row + 1, col + 1, height, width)
            across = tl.load(plane + corner + width + 1, mask=known, other=0.0)
            upper = value * (1.0 - right_share) + beside * right_share
            lower = below * (1.0 - right_share) + across * right_share
            value = upper * (1.0 - low_share) + lower * low_share
        tl.store(y_ptr + (image * channels + channel) * out_size + pixels, value, mask=inside)


def forward(x: torch.Tensor, grid: torch.Tensor, mode: int, padding: int, align_corners: int) -> torch.Tensor:
    x, grid = x.contiguous(), grid.contiguous()
    batch, channels, height, width = x.shape
    out_h, out_w = grid.shape[1:3]
    y = torch.empty((batch, channels, out_h, out_w), dtype=x.dtype, device=x.device)
    programs = (triton.cdiv(out_h * out_w, 256), triton.cdiv(channels, CHANNELS), batch)
    grid_sample_kernel[programs](
        x, grid, y, channels, height, width, out_h * out_w,
        MODE=mode, PADDING=padding, ALIGNED=bool(align_corners), CHANNELS=CHANNELS, BLOCK=256
    )  # fmt: skip
    return y
