"""The Cholesky factor: one program a matrix, which stays in registers.

Each step takes the root of a pivot, divides the column below it, and subtracts the column's product with itself from
all that is to the right of it. What is left stays symmetric, so the column is a row as well.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def cholesky_kernel(a_ptr, factor_ptr, n, UPPER: tl.constexpr, N: tl.constexpr):
    row, col = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    inside = (row < n) & (col < n)
    start = tl.program_id(0).to(tl.int64) * n * n
    a = tl.load(a_ptr + start + row * n + col, mask=inside, other=0.0)
    for j in range(n):
        column = tl.sum(tl.where(col == j, a, 0.0), 1)[:, None]
        across = tl.sum(tl.where(row == j, a, 0.0), 0)[None, :]
        root = tl.sqrt(tl.sum(tl.where(row == j, column, 0.0), 0)[:, None])
        a = tl.where((row > j) & (col > j), a - (column / root) * (across / root), a)
        a = tl.where(col == j, column / root, a)
    factor = tl.where(row >= col, a, 0.0)
    to = col * n + row if UPPER else row * n + col
    tl.store(factor_ptr + start + to, factor, mask=inside)


def forward(a: torch.Tensor, upper: int) -> torch.Tensor:
    a = a.contiguous()
    batch, n, _ = a.shape
    factor, block = torch.empty_like(a), max(2, triton.next_power_of_2(n))
    warps = min(16, max(1, block * block // 1024))
    cholesky_kernel[(batch,)](a, factor, n, UPPER=bool(upper), N=block, num_warps=warps)
    return factor
