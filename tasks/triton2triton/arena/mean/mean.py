"""The mean along one dimension: one program sums a block of columns of a [outer, length, inner] view."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x_ptr, y_ptr, length, inner, blocks, LENGTH: tl.constexpr, INNER: tl.constexpr):
    outer = (tl.program_id(0) // blocks).to(tl.int64)
    column = (tl.program_id(0) % blocks) * INNER + tl.arange(0, INNER)
    start = x_ptr + outer * length * inner
    total = tl.zeros([LENGTH, INNER], dtype=tl.float32)
    for first in range(0, length, LENGTH):
        place = first + tl.arange(0, LENGTH).to(tl.int64)
        inside = (place[:, None] < length) & (column[None, :] < inner)
        total += tl.load(start + place[:, None] * inner + column[None, :], mask=inside, other=0.0).to(tl.float32)
    y = tl.sum(total, axis=0) / length
    tl.store(y_ptr + outer * inner + column, y.to(y_ptr.dtype.element_ty), mask=column < inner)


def forward(x: torch.Tensor, dim: int) -> torch.Tensor:
    x = x.contiguous()
    outer, length, inner = x.shape[:dim].numel(), x.shape[dim], x.shape[dim + 1 :].numel()
    y = torch.empty(x.shape[:dim] + x.shape[dim + 1 :], dtype=x.dtype, device=x.device)
    inner_block = min(64, triton.next_power_of_2(inner))
    blocks = triton.cdiv(inner, inner_block)
    mean_kernel[(outer * blocks,)](x, y, length, inner, blocks, LENGTH=1024 // inner_block, INNER=inner_block)
    return y
