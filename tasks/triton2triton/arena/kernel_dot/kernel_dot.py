"""Replaces each small square matrix of a stack by its square: one program a matrix, which holds it whole."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def kernel_dot(z_ptr, side, BLOCK: tl.constexpr):
    start = z_ptr + tl.program_id(0).to(tl.int64) * side * side
    row, col = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    inside = (row < side) & (col < side)
    z = tl.load(start + row * side + col, mask=inside, other=0.0)
    square = tl.dot(z, z, input_precision="ieee")
    tl.store(start + row * side + col, square.to(z_ptr.dtype.element_ty), mask=inside)


def forward(z: torch.Tensor) -> torch.Tensor:
    tiles, side, _ = z.shape
    kernel_dot[(tiles,)](z, side, BLOCK=max(16, triton.next_power_of_2(side)))
    return z
