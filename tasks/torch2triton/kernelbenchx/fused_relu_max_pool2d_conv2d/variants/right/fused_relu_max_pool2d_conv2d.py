"""Convolution as a product of matrices, then pooling of its result with the rectifier.

A rectifier makes 0 the least value, so that maxima may begin with it."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def conv_kernel(
    x_ptr,
    w_ptr,
    b_ptr,
    y_ptr,
    pixels,
    groups,
    channels,
    filters,
    height,
    width,
    out_h,
    out_w,
    KERNEL_H: tl.constexpr,
    KERNEL_W: tl.constexpr,
    STRIDE: tl.constexpr,
    PADDING: tl.constexpr,
    DILATION: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    pixel = tl.program_id(0) * M + tl.arange(0, M)
    of_group = tl.program_id(1) * N + tl.arange(0, N)
    group = tl.program_id(2)
    image, row, col = (pixel // (out_h * out_w)).to(tl.int64), pixel // out_w % out_h, pixel % out_w
    terms = channels * KERNEL_H * KERNEL_W
    x_ptr += (image * groups + group)[:, None] * channels * height * width
    w_ptr += (group * filters + of_group)[None, :] * terms
    y = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, terms, K):
        term = begin + tl.arange(0, K)
        channel, tap = term // (KERNEL_H * KERNEL_W), term % (KERNEL_H * KERNEL_W)
        x_row = (row * STRIDE - PADDING)[:, None] + (tap // KERNEL_W * DILATION)[None, :]
        x_col = (col * STRIDE - PADDING)[:, None] + (tap % KERNEL_W * DILATION)[None, :]
        inside = (x_row >= 0) & (x_row < height) & (x_col >= 0) & (x_col < width)
        inside &= (pixel < pixels)[:, None] & (term < terms)[None, :]
        x = tl.load(x_ptr + (channel * height)[None, :] * width + x_row * width + x_col, mask=inside, other=0.0)
        known = (term < terms)[:, None] & (of_group < filters)[None, :]
        w = tl.load(w_ptr + term[:, None], mask=known, other=0.0)
        y = tl.dot(x, w, y, input_precision="ieee")
    filter = group * filters + of_group
    if HAS_BIAS:
        y += tl.load(b_ptr + filter, mask=of_group < filters, other=0.0).to(tl.float32)[None, :]
    wanted = (pixel < pixels)[:, None] & (of_group < filters)[None, :]
    place = ((image * groups * filters)[:, None] + filter[None, :]) * out_h * out_w + (row * out_w + col)[:, None]
    tl.store(y_ptr + place, y.to(y_ptr.dtype.element_ty), mask=wanted)


@triton.jit
def pool_kernel(
    y_ptr,
    out_ptr,
    count,
    height,
    width,
    out_h,
    out_w,
    POOL: tl.constexpr,
    STRIDE: tl.constexpr,
    PADDING: tl.constexpr,
    DILATION: tl.constexpr,
    BLOCK: tl.constexpr,
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    plane, row, col = place // (out_h * out_w), place // out_w % out_h, place % out_w
    out = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in tl.static_range(POOL):
        for j in tl.static_range(POOL):
            y_row = row * STRIDE - PADDING + i * DILATION
            y_col = col * STRIDE - PADDING + j * DILATION
            inside = (place < count) & (y_row >= 0) & (y_row < height) & (y_col >= 0) & (y_col < width)
            y = tl.load(y_ptr + (plane * height + y_row) * width + y_col, mask=inside, other=0.0)
            out = tl.maximum(out, y.to(tl.float32))
    tl.store(out_ptr + place, out.to(out_ptr.dtype.element_ty), mask=place < count)


def pooled(size: int, pool: int, stride: int, padding: int, dilation: int, ceil_mode: int) -> int:
    """The number of windows along one side."""
    room = size + 2 * padding - dilation * (pool - 1)
    if ceil_mode:
        return min(triton.cdiv(room + stride - 1, stride), triton.cdiv(size + padding, stride))
    return triton.cdiv(room, stride)


def forward(
    x: torch.Tensor,
    w: torch.Tensor,
    b: torch.Tensor | None,
    stride: int,
    padding: int,
    dilation: int,
    groups: int,
    pool: int,
    pool_stride: int,
    pool_padding: int,
    pool_dilation: int,
    ceil_mode: int,
) -> torch.Tensor:
    x, w = x.contiguous(), w.contiguous()
    batch, _, height, width = x.shape
    all_filters, channels, kernel_h, kernel_w = w.shape
    out_h = (height + 2 * padding - dilation * (kernel_h - 1) - 1) // stride + 1
    out_w = (width + 2 * padding - dilation * (kernel_w - 1) - 1) // stride + 1
    pixels, filters = batch * out_h * out_w, all_filters // groups
    y = torch.empty((batch, all_filters, out_h, out_w), dtype=x.dtype, device=x.device)
    n = min(64, max(16, triton.next_power_of_2(filters)))
    conv_kernel[(triton.cdiv(pixels, 64), triton.cdiv(filters, n), groups)](
        x,
        w,
        b.contiguous() if b is not None else w,
        y,
        pixels,
        groups,
        channels,
        filters,
        height,
        width,
        out_h,
        out_w,
        KERNEL_H=kernel_h,
        KERNEL_W=kernel_w,
        STRIDE=stride,
        PADDING=padding,
        DILATION=dilation,
        HAS_BIAS=b is not None,
        M=64,
        N=n,
        K=32,
    )
    window = (pool, pool_stride, pool_padding, pool_dilation, ceil_mode)
    pooled_h, pooled_w = pooled(out_h, *window), pooled(out_w, *window)
    out = torch.empty((batch, all_filters, pooled_h, pooled_w), dtype=x.dtype, device=x.device)
    pool_kernel[(triton.cdiv(out.numel(), 512),)](
        y,
        out,
        out.numel(),
        out_h,
        out_w,
        pooled_h,
        pooled_w,
        POOL=pool,
        STRIDE=pool_stride,
        PADDING=pool_padding,
        DILATION=pool_dilation,
        BLOCK=512,
    )
    return out
