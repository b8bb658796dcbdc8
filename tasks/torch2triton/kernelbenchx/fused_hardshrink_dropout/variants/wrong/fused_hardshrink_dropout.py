"""Dropout and hard shrinkage in one kernel, but every row drops the same columns: positions count within a row."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def hardshrink_dropout_kernel(x_ptr, seed_ptr, out_ptr, cols, p, lambd, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * cols
    for begin in range(0, cols, BLOCK):
        columns = begin + tl.arange(0, BLOCK)
        inside = columns < cols
        x = tl.load(x_ptr + start + columns, mask=inside).to(tl.float32)
        keep = tl.rand(tl.load(seed_ptr), columns) >= p
        x = tl.where(keep, x / (1 - p), 0.0)
        tl.store(out_ptr + start + columns, tl.where(tl.abs(x) > lambd, x, 0.0), mask=inside)


def forward(x: torch.Tensor, seed: torch.Tensor, p: float, lambd: int) -> torch.Tensor:
    x = x.contiguous()
    out = torch.empty_like(x)
    rows, cols = x.shape
    hardshrink_dropout_kernel[(rows,)](x, seed, out, cols, p, lambd, BLOCK=min(1024, triton.next_power_of_2(cols)))
    return out
