"""Transposed convolution as a product of matrices, whose left factor is gathered from the images while it runs.

A program has pixels that lie a multiple of the stride apart, so that the same places of the filter fall on all of them.
"""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl


@triton.jit
def conv_transpose_kernel(
    x_ptr,
    w_ptr,
    b_ptr,
    out_ptr,
    batch,
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
    STEP: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    phase, group = tl.program_id(2) % (STRIDE * STRIDE), tl.program_id(2) // (STRIDE * STRIDE)
    rows = tl.maximum((out_h - phase // STRIDE + STRIDE - 1) // STRIDE, 0)
    cols = tl.maximum((out_w - phase % STRIDE + STRIDE - 1) // STRIDE, 0)
    pixels = batch * rows * cols
    pixel = tl.program_id(0) * M + tl.arange(0, M)
    image = (pixel // tl.maximum(rows * cols, 1)).to(tl.int64)
    row = phase // STRIDE + STRIDE * (pixel // tl.maximum(cols, 1) % tl.maximum(rows, 1))
    col = phase % STRIDE + STRIDE * (pixel % tl.maximum(cols, 1))
    of_group = tl.program_id(1) * N + tl.arange(0, N)
    first_i, first_j = KERNEL_H, KERNEL_W  # places of the filter that fall on these pixels; others follow by STEP
    for step in tl.static_range(STEP):
        back = STEP - 1 - step
        first_i = tl.where((phase // STRIDE + PADDING - back * DILATION) % STRIDE == 0, back, first_i)
        first_j = tl.where((phase % STRIDE + PADDING - back * DILATION) % STRIDE == 0, back, first_j)
    taps_j = tl.maximum(KERNEL_W - first_j + STEP - 1, 0) // STEP
    taps = tl.maximum(KERNEL_H - first_i + STEP - 1, 0) // STEP * taps_j
    acc = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, channels * taps, K):
        term = begin + tl.arange(0, K)
        channel, tap, known = term // taps, term % taps, term < channels * taps
        i, j = first_i + tap // taps_j * STEP, first_j + tap % taps_j * STEP
        down, along = row[:, None] + PADDING - (i * DILATION)[None, :], col[:, None] + PADDING - (j * DILATION)[None, :]
        x_row, x_col = down // STRIDE, along // STRIDE
        inside = (down >= 0) & (x_row < height) & (along >= 0) & (x_col < width)
        inside &= (pixel < pixels)[:, None] & known[None, :]
        x_plane = ((image * groups + group) * channels)[:, None] + channel[None, :]
        x = tl.load(x_ptr + (x_plane * height + x_row) * width + x_col, mask=inside, other=0.0)
        w_place = ((group * channels + channel)[:, None] * filters + of_group[None, :]) * KERNEL_H * KERNEL_W
        w_place += (i * KERNEL_W + j)[:, None]
        w = tl.load(w_ptr + w_place, mask=known[:, None] & (of_group < filters)[None, :], other=0.0)
        acc = tl.dot(x, w, acc, input_precision="ieee")
    filter = group * filters + of_group
    if HAS_BIAS:
        acc += tl.load(b_ptr + filter, mask=of_group < filters, other=0.0).to(tl.float32)[None, :]
    place = ((image * groups * filters)[:, None] + filter[None, :]) * out_h * out_w + (row * out_w + col)[:, None]
    wanted = (pixel < pixels)[:, None] & (of_group < filters)[None, :]
    tl.store(out_ptr + place, acc.to(out_ptr.dtype.element_ty), mask=wanted)


def forward(
    x: torch.Tensor,
    w: torch.Tensor,
    b: torch.Tensor | None,
    stride: int,
    padding: int,
    output_padding: int,
    groups: int,
    dilation: int,
) -> torch.Tensor:
    x, w = x.contiguous(), w.contiguous()
    (batch, all_channels, height, width), (_, filters, kernel_h, kernel_w) = x.shape, w.shape
    out_h = (height - 1) * stride - 2 * padding + dilation * (kernel_h - 1) + output_padding + 1
    out_w = (width - 1) * stride - 2 * padding + dilation * (kernel_w - 1) + output_padding + 1
    out = torch.empty((batch, groups * filters, out_h, out_w), dtype=x.dtype, device=x.device)
    n = min(64, max(16, triton.next_power_of_2(filters)))
    most = batch * triton.cdiv(out_h, stride) * triton.cdiv(out_w, stride)
    conv_transpose_kernel[(triton.cdiv(most, 64), triton.cdiv(filters, n), groups * stride * stride)](
        x,
        w,
        b.contiguous() if b is not None else w,
        out,
        batch,
        groups,
        all_channels // groups,
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
        STEP=stride // math.gcd(stride, dilation),
        HAS_BIAS=b is not None,
        M=64,
        N=n,
        K=32,
    )
    return out
