"""Two-dimensional Fourier transform: one program an image, which is multiplied by matrices of roots on both sides."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

TURN = tl.constexpr(6.283185307179586)


@triton.jit
def roots(length, N: tl.constexpr):
    at = tl.arange(0, N)
    turns = (at[:, None] * at[None, :]) % length
    known = (at[:, None] < length) & (at[None, :] < length)
    angle = turns.to(tl.float32) * (TURN / length)
    return tl.where(known, tl.cos(angle), 0.0), tl.where(known, -tl.sin(angle), 0.0)


@triton.jit
def product(a, b, c, d):
    real = tl.dot(a, c, input_precision="ieee") - tl.dot(b, d, input_precision="ieee")
    return real, tl.dot(a, d, input_precision="ieee") + tl.dot(b, c, input_precision="ieee")


@triton.jit
def fft2_kernel(x_ptr, y_ptr, scale, height, width, H: tl.constexpr, W: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * height * width * 2
    row, col = tl.arange(0, H), tl.arange(0, W)
    offsets = (row[:, None] * width + col[None, :]) * 2
    inside = (row[:, None] < height) & (col[None, :] < width)
    real = tl.load(x_ptr + start + offsets, mask=inside, other=0.0)
    imaginary = tl.load(x_ptr + start + offsets + 1, mask=inside, other=0.0)
    down_real, down_imaginary = roots(height, H)
    real, imaginary = product(down_real, down_imaginary, real, imaginary)
    along_real, along_imaginary = roots(width, W)
    real, imaginary = product(real, imaginary, along_real, along_imaginary)
    tl.store(y_ptr + start + offsets, real * scale, mask=inside)
    tl.store(y_ptr + start + offsets + 1, imaginary * scale, mask=inside)


def forward(x: torch.Tensor, ortho: int) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    batch, height, width, _ = x.shape
    scale = (height * width) ** -0.5 if ortho else 1.0
    h, w = (max(16, triton.next_power_of_2(size)) for size in (height, width))
    fft2_kernel[(batch,)](x, y, scale, height, width, H=h, W=w)
    return y
