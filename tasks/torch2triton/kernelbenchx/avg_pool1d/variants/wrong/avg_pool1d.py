"""Means of windows along rows, whose sums are divided by the whole window even where padding does not count."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def pool_kernel(
    x_ptr,
    out_ptr,
    count,
    length,
    out_length,
    kernel,
    stride,
    padding,
    INCLUDE_PAD: tl.constexpr,
    BLOCK: tl.constexpr,
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    row, begin = place // out_length, (place % out_length) * stride - padding
    end = tl.minimum(begin + kernel, length + padding)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for tap in range(kernel):
        at = begin + tap
        inside = (place < count) & (at >= 0) & (at < length)
        x = tl.load(x_ptr + row * length + at, mask=inside, other=0.0)
        total += x.to(tl.float32)
    divisor = end - begin
    if not INCLUDE_PAD:
        divisor = begin + kernel - begin
    out = total / divisor.to(tl.float32)
    tl.store(out_ptr + place, out.to(out_ptr.dtype.element_ty), mask=place < count)


def forward(
    x: torch.Tensor, kernel: int, stride: int, padding: int, ceil_mode: int, count_include_pad: int
) -> torch.Tensor:
    x = x.contiguous()
    length = x.shape[-1]
    out_length = triton.cdiv(length + 2 * padding - kernel + 1, stride)
    if ceil_mode:
        windows = triton.cdiv(length + 2 * padding - kernel + stride, stride)
        out_length = min(windows, triton.cdiv(length + padding, stride))
    out = torch.empty((*x.shape[:-1], out_length), dtype=x.dtype, device=x.device)
    pool_kernel[(triton.cdiv(out.numel(), 512),)](
        x,
        out,
        out.numel(),
        length,
        out_length,
        kernel,
        stride,
        padding,
        INCLUDE_PAD=bool(count_include_pad),
        BLOCK=512,
    )
    return out
