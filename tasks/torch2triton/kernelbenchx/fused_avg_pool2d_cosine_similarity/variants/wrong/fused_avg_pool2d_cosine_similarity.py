"""Cosines of all pixels and means of their windows, but one bound holds for the product of both norms."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def cosine_kernel(a_ptr, b_ptr, cosine_ptr, count, pixels, channels, eps, CHANNELS: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    start = place // pixels * channels * pixels + place % pixels
    both = tl.zeros((CHANNELS, BLOCK), dtype=tl.float32)
    a_square, b_square = tl.zeros_like(both), tl.zeros_like(both)
    for begin in range(0, channels, CHANNELS):
        channel = begin + tl.arange(0, CHANNELS)
        known = (channel < channels)[:, None] & (place < count)[None, :]
        at = start[None, :] + channel[:, None] * pixels
        a = tl.load(a_ptr + at, mask=known, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + at, mask=known, other=0.0).to(tl.float32)
        both += a * b
        a_square += a * a
        b_square += b * b
    norms = tl.maximum(tl.sqrt(tl.sum(a_square, 0) * tl.sum(b_square, 0)), eps)
    tl.store(cosine_ptr + place, tl.sum(both, 0) / norms, mask=place < count)


@triton.jit
def pool_kernel(
    cosine_ptr,
    out_ptr,
    count,
    height,
    width,
    out_h,
    out_w,
    KERNEL: tl.constexpr,
    STRIDE: tl.constexpr,
    PADDING: tl.constexpr,
    BLOCK: tl.constexpr,
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    image, row, col = place // (out_h * out_w), place // out_w % out_h, place % out_w
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for tap in range(KERNEL * KERNEL):
        i, j = row * STRIDE - PADDING + tap // KERNEL, col * STRIDE - PADDING + tap % KERNEL
        inside = (place < count) & (i >= 0) & (i < height) & (j >= 0) & (j < width)
        total += tl.load(cosine_ptr + (image * height + i) * width + j, mask=inside, other=0.0)
    out = total / (KERNEL * KERNEL)
    tl.store(out_ptr + place, out.to(out_ptr.dtype.element_ty), mask=place < count)


def forward(a: torch.Tensor, b: torch.Tensor, kernel: int, stride: int, padding: int, eps: float) -> torch.Tensor:
    a, b = a.contiguous(), b.contiguous()
    batch, channels, height, width = a.shape
    cosine = torch.empty((batch, height, width), dtype=torch.float32, device=a.device)
    grid = (triton.cdiv(cosine.numel(), 128),)
    cosine_kernel[grid](a, b, cosine, cosine.numel(), height * width, channels, eps, CHANNELS=8, BLOCK=128)
    out_h, out_w = ((size + 2 * padding - kernel) // stride + 1 for size in (height, width))
    out = torch.empty((batch, 1, out_h, out_w), dtype=a.dtype, device=a.device)
    pool_kernel[(triton.cdiv(out.numel(), 256),)](
        cosine,
        out,
        out.numel(),
        height,
        width,
        out_h,
        out_w,
        KERNEL=kernel,
        STRIDE=stride,
        PADDING=padding,
        BLOCK=256,
    )
    return out
