"""Determinants by elimination with partial pivoting: one program a matrix, which stays in registers.

The factors are never stored. No row is moved: of the rows that have no place yet the one with the largest entry in
the column gets the next place, which exchanges it with each of those before it.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def determinant_kernel(a_ptr, det_ptr, n, N: tl.constexpr):
    row, col = tl.arange(0, N), tl.arange(0, N)
    matrix = tl.program_id(0).to(tl.int64)
    inside = (row[:, None] < n) & (col[None, :] < n)
    a = tl.load(a_ptr + matrix * n * n + row[:, None] * n + col[None, :], mask=inside, other=0.0)
    waits = row < n  # rows that have no place yet
    det = tl.full((), 1.0, a.dtype)
    for j in range(n):
        column = tl.sum(tl.where(col[None, :] == j, a, 0.0), 1)
        pivot = tl.argmax(tl.where(waits, tl.abs(column), -1.0), 0)
        head = tl.sum(tl.where(row == pivot, column, 0.0), 0)
        passed = tl.sum((waits & (row < pivot)).to(tl.int32), 0)  # to come first, it changes places with each of these
        det *= tl.where(passed % 2 == 1, -head, head)
        waits = waits & (row != pivot)
        factor = tl.where(waits, column / tl.where(head != 0, head, 1.0), 0.0)
        chosen = tl.sum(tl.where(row[:, None] == pivot, a, 0.0), 0)
        a -= factor[:, None] * chosen[None, :]
    tl.store(det_ptr + matrix, det)


def forward(a: torch.Tensor) -> torch.Tensor:
    a = a.contiguous()
    batch, n, _ = a.shape
    det, block = a.new_empty(batch), max(2, triton.next_power_of_2(n))
    determinant_kernel[(batch,)](a, det, n, N=block, num_warps=min(16, max(1, block * block // 1024)))
    return det
