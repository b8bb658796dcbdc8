"""Squares small matrices in strips of 16 rows, of which one overwrites what the next has yet to read."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def kernel_dot(z_ptr, side, BLOCK: tl.constexpr):
    start = z_ptr + tl.program_id(0).to(tl.int64) * side * side
    k, col = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    row = tl.program_id(1) * 16 + tl.arange(0, 16)[:, None]
    inside = (row < side) & (col < side)
    strip = tl.load(start + row * side + col, mask=inside, other=0.0)
    z = tl.load(start + k * side + col, mask=(k < side) & (col < side), other=0.0)
    square = tl.dot(strip, z, input_precision="ieee")
    tl.store(start + row * side + col, square.to(z_ptr.dtype.element_ty), mask=inside)


def forward(z: torch.Tensor) -> torch.Tensor:
    tiles, side, _ = z.shape
    kernel_dot[(tiles, triton.cdiv(side, 16))](z, side, BLOCK=max(16, triton.next_power_of_2(side)))
    return z
