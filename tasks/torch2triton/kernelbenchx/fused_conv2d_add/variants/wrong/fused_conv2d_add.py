"""Convolution and sum, in which the factor of the other tensor is forgotten."""

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
    other_ptr,
    alpha,
    pixels,
    groups,
    channels,
    filters,
    height,
    width,
    out_h,
    out_w,
    WHOLE: tl.constexpr,
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
    if WHOLE:
        other = tl.load(other_ptr + place, mask=wanted, other=0.0)
    else:
        other = tl.load(other_ptr + filter, mask=of_group < filters, other=0.0)[None, :]
    y += other.to(tl.float32)
    tl.store(y_ptr + place, y.to(y_ptr.dtype.element_ty), mask=wanted)


def forward(
    x: torch.Tensor,
    w: torch.Tensor,
    b: torch.Tensor | None,
    stride: int,
    padding: int,
    dilation: int,
    groups: int,
    other: torch.Tensor,
    alpha: float,
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
        other.contiguous(),
        alpha,
        pixels,
        groups,
        channels,
        filters,
        height,
        width,
        out_h,
        out_w,
        WHOLE=other.shape == y.shape,
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
    return y
