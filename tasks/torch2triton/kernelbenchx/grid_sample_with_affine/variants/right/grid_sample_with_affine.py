"""One program for 256 pixels and up to 16 channels of an image, which computes its places from the matrix."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

CHANNELS = 16


@triton.jit
def lattice(i, out, ALIGNED: tl.constexpr):
    """Where output pixels lie, from -1 to 1."""
    return 2.0 * i / (out - 1) - 1.0 if ALIGNED else (2.0 * i + 1.0) / out - 1.0


@triton.jit
def pad(u, length, PADDING: tl.constexpr, ALIGNED: tl.constexpr):
    """A place in pixels, reflected or clamped where that is asked for."""
    if PADDING == 2:
        low = 0.0 if ALIGNED else -0.5
        span = tl.maximum(length - 1, 1).to(tl.float32) if ALIGNED else length.to(tl.float32)
        distance = tl.abs(u - low)
        turns = tl.floor(distance / span)
        rest = distance - turns * span
        u = low + tl.where(turns % 2 == 0, rest, span - rest)
    if PADDING != 0:
        u = tl.minimum(tl.maximum(u, 0.0), length - 1.0)
    return u


@triton.jit
def cubic_weight(t, TAP: tl.constexpr):
    """The weight of the pixel at TAP - 1, where t is how far the place lies beyond pixel 0."""
    near = t if TAP < 2 else 1.0 - t
    inner = (1.25 * near - 2.25) * near * near + 1.0
    outer = -0.75 * near * (1.0 - near) * (1.0 - near)
    return inner if TAP == 1 or TAP == 2 else outer


@triton.jit
def read(plane, row, col, height, width, inside):
    known = inside & (row >= 0) & (row < height) & (col >= 0) & (col < width)
    return tl.load(plane + row * width + col, mask=known, other=0.0)


@triton.jit
def sample_kernel(
    x_ptr, theta_ptr, y_ptr, channels, height, width, out_h, out_w,
    MODE: tl.constexpr, PADDING: tl.constexpr, ALIGNED: tl.constexpr, CHANNELS: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    image = tl.program_id(2).to(tl.int64)
    first = tl.program_id(1) * CHANNELS
    pixels = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = pixels < out_h * out_w
    across = lattice((pixels % out_w).to(tl.float32), out_w, ALIGNED)
    along = lattice((pixels // out_w).to(tl.float32), out_h, ALIGNED)
    theta_ptr += image * 6
    g = tl.load(theta_ptr) * across + tl.load(theta_ptr + 1) * along + tl.load(theta_ptr + 2)
    h = tl.load(theta_ptr + 3) * across + tl.load(theta_ptr + 4) * along + tl.load(theta_ptr + 5)
    u = (g + 1.0) * 0.5 * (width - 1) if ALIGNED else ((g + 1.0) * width - 1.0) * 0.5
    v = (h + 1.0) * 0.5 * (height - 1) if ALIGNED else ((h + 1.0) * height - 1.0) * 0.5
    if MODE != 2:
        u, v = pad(u, width, PADDING, ALIGNED), pad(v, height, PADDING, ALIGNED)
    if MODE == 0:
        u, v = u + 0.5, v + 0.5
    left, top = tl.floor(u), tl.floor(v)
    right_share, low_share = u - left, v - top
    for channel in range(first, tl.minimum(first + CHANNELS, channels)):
        plane = x_ptr + (image * channels + channel) * height * width
        if MODE == 0:
            value = read(plane, top.to(tl.int32), left.to(tl.int32), height, width, inside)
        else:
            value = tl.zeros((BLOCK,), tl.float32)
            for i in tl.static_range(2 * MODE):
                row = top + (i + 1 - MODE)
                row = pad(row, height, PADDING, ALIGNED) if MODE == 2 else row
                part = tl.zeros((BLOCK,), tl.float32)
                for j in tl.static_range(2 * MODE):
                    col = left + (j + 1 - MODE)
                    col = pad(col, width, PADDING, ALIGNED) if MODE == 2 else col
                    weight = cubic_weight(right_share, j) if MODE == 2 else right_share if j else 1.0 - right_share
                    part += weight * read(plane, row.to(tl.int32), col.to(tl.int32), height, width, inside)
                value += part * (cubic_weight(low_share, i) if MODE == 2 else low_share if i else 1.0 - low_share)
        tl.store(y_ptr + (image * channels + channel) * out_h * out_w + pixels, value, mask=inside)


def forward(
    x: torch.Tensor, theta: torch.Tensor, out_h: int, out_w: int, mode: int, padding: int, align_corners: int
) -> torch.Tensor:
    x, theta = x.contiguous(), theta.contiguous()
    batch, channels, height, width = x.shape
    y = torch.empty((batch, channels, out_h, out_w), dtype=x.dtype, device=x.device)
    programs = (triton.cdiv(out_h * out_w, 256), triton.cdiv(channels, CHANNELS), batch)
    sample_kernel[programs](
        x, theta, y, channels, height, width, out_h, out_w,
        MODE=mode, PADDING=padding, ALIGNED=bool(align_corners), CHANNELS=CHANNELS, BLOCK=256
    )  # fmt: skip
    return y
