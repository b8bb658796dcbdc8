"""An approximation of lower rank by a few steps of the power method for each singular vector.

It has the rank asked for, but where the next singular value is nearly as large the steps have not turned the vector
enough, so that another approximation of that rank is closer.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def low_rank_kernel(a_ptr, out_ptr, rows, cols, rank, STEPS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    row, col = tl.arange(0, ROWS), tl.arange(0, COLS)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    offsets = tl.program_id(0).to(tl.int64) * rows * cols + row[:, None] * cols + col[None, :]
    a = tl.load(a_ptr + offsets, mask=inside, other=0.0)
    out = tl.zeros_like(a)
    for _ in range(rank):
        right = tl.sum(a, 0)
        left = tl.sum(a, 1)
        for _ in range(STEPS):
            left = tl.sum(a * right[None, :], 1)
            length = tl.sqrt(tl.sum(left * left, 0))
            left = left / tl.where(length > 0, length, 1.0)
            right = tl.sum(a * left[:, None], 0)
        part = left[:, None] * right[None, :]
        a -= part
        out += part
    tl.store(out_ptr + offsets, out, mask=inside)


def forward(a: torch.Tensor, rank: int) -> torch.Tensor:
    a = a.contiguous()
    batch, rows, cols = a.shape
    out = torch.empty_like(a)
    blocks = {"ROWS": triton.next_power_of_2(rows), "COLS": triton.next_power_of_2(cols)}
    warps = min(8, max(1, blocks["ROWS"] * blocks["COLS"] // 512))
    low_rank_kernel[(batch,)](a, out, rows, cols, rank, STEPS=8, **blocks, num_warps=warps)
    return out
