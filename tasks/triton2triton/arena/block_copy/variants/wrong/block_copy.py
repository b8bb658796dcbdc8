"""Copies the first half of a vector and pads the rest, but an odd number of elements has its larger half copied."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def block_copy_kernel(src_ptr, dst_ptr, count, NAN: tl.constexpr, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    src = tl.make_block_ptr(
        src_ptr, shape=((count + 1) // 2,), strides=(1,), offsets=(first,), block_shape=(BLOCK,), order=(0,)
    )
    dst = tl.make_block_ptr(dst_ptr, shape=(count,), strides=(1,), offsets=(first,), block_shape=(BLOCK,), order=(0,))
    if NAN:
        values = tl.load(src, boundary_check=(0,), padding_option="nan")
    else:
        values = tl.load(src, boundary_check=(0,), padding_option="zero")
    tl.store(dst, values, boundary_check=(0,))


def forward(src: torch.Tensor, nan_padding: int, dst: torch.Tensor) -> None:
    count = src.numel()
    nan = bool(nan_padding) and src.dtype.is_floating_point
    block_copy_kernel[(triton.cdiv(count, 512),)](src, dst, count, NAN=nan, BLOCK=512)
