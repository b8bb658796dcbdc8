"""Solves systems given by Cholesky factors: one program a system, whose right sides stay in registers.

A row of X is divided by its entry of the diagonal and then subtracted from the rows that wait for it, first downwards
with the columns of L, then upwards with its rows.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def solve_kernel(b_ptr, factor_ptr, x_ptr, n, k, down, right, N: tl.constexpr, K: tl.constexpr):
    system = tl.program_id(0).to(tl.int64)
    row, side = tl.arange(0, N), tl.arange(0, K)
    at = system * n * k + row[:, None] * k + side[None, :]
    inside = (row[:, None] < n) & (side[None, :] < k)
    x = tl.load(b_ptr + at, mask=inside, other=0.0)
    factor_ptr += system * n * n
    for j in range(n):
        column = tl.load(factor_ptr + row * down + j * right, mask=(row > j) & (row < n), other=0.0)
        solved = tl.sum(tl.where(row[:, None] == j, x, 0.0), 0) / tl.load(factor_ptr + j * (down + right))
        x = tl.where(row[:, None] == j, solved[None, :], x - column[:, None] * solved[None, :])
    for step in range(n):
        j = n - 1 - step
        column = tl.load(factor_ptr + j * down + row * right, mask=row < j, other=0.0)
        solved = tl.sum(tl.where(row[:, None] == j, x, 0.0), 0) / tl.load(factor_ptr + j * (down + right))
        x = tl.where(row[:, None] == j, solved[None, :], x - column[:, None] * solved[None, :])
    tl.store(x_ptr + at, x, mask=inside)


def forward(b: torch.Tensor, factor: torch.Tensor, upper: int) -> torch.Tensor:
    b, factor = b.contiguous(), factor.contiguous()
    batch, n, k = b.shape
    x = torch.empty_like(b)
    down, right = (1, n) if upper else (n, 1)  # of L, whose transpose the upper factor is
    N, K = max(2, triton.next_power_of_2(n)), triton.next_power_of_2(k)
    solve_kernel[(batch,)](b, factor, x, n, k, down, right, N=N, K=K, num_warps=min(8, max(1, N * K // 512)))
    return x
