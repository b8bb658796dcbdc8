"""Softmax over the last dimension: one program a row, two sweeps, a running maximum and sum for the whole row."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * cols
    offsets = tl.arange(0, BLOCK)

    row_max = -float("inf")
    row_sum = 0.0
    for begin in range(0, cols, BLOCK):
        inside = begin + offsets < cols
        x = tl.load(x_ptr + start + begin + offsets, mask=inside, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(row_max, tl.max(x, axis=0))
        shift = tl.where(higher == -float("inf"), 0.0, higher)
        row_sum = row_sum * tl.exp(row_max - shift) + tl.sum(tl.exp(x - shift), axis=0)
        row_max = higher

    for begin in range(0, cols, BLOCK):
        inside = begin + offsets < cols
        x = tl.load(x_ptr + start + begin + offsets, mask=inside, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - row_max) / row_sum
        tl.store(y_ptr + start + begin + offsets, y.to(y_ptr.dtype.element_ty), mask=inside)


def forward(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    rows, cols = x.shape
    softmax_kernel[(rows,)](x, y, cols, BLOCK=min(1024, triton.next_power_of_2(cols)))
    return y
