"""Solves symmetric systems by elimination with partial pivoting: one program a system, which stays in registers.

The whole matrix is in registers and every entry is worked on at once, so that symmetry would save nothing. No row is
moved: of the rows that have no place yet the one with the largest entry in the column gets the next place, and is
subtracted from the others and from their right sides. Then the rows are solved in the opposite order.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def solve_kernel(a_ptr, b_ptr, x_ptr, n, k, N: tl.constexpr, K: tl.constexpr):
    system = tl.program_id(0).to(tl.int64)
    row, col, side = tl.arange(0, N), tl.arange(0, N), tl.arange(0, K)
    known = (row[:, None] < n) & (col[None, :] < n)
    wanted = (row[:, None] < n) & (side[None, :] < k)
    a = tl.load(a_ptr + system * n * n + row[:, None] * n + col[None, :], mask=known, other=0.0)
    b = tl.load(b_ptr + system * n * k + row[:, None] * k + side[None, :], mask=wanted, other=0.0)
    place = tl.where(row < n, n, -1)  # `n`: none yet
    for j in range(n):
        column = tl.sum(tl.where(col[None, :] == j, a, 0.0), 1)
        pivot = tl.argmax(tl.where(place == n, tl.abs(column), -1.0), 0)
        place = tl.where(row == pivot, j, place)
        head = tl.sum(tl.where(row == pivot, column, 0.0), 0)
        factor = tl.where(place == n, column / head, 0.0)
        chosen = tl.sum(tl.where(row[:, None] == pivot, a, 0.0), 0)
        a -= factor[:, None] * chosen[None, :]
        b -= factor[:, None] * tl.sum(tl.where(row[:, None] == pivot, b, 0.0), 0)[None, :]
    x = tl.zeros_like(b)
    for step in range(n):
        j = n - 1 - step
        here = place[:, None] == j
        chosen = tl.sum(tl.where(here, a, 0.0), 0)
        head = tl.sum(tl.where(col == j, chosen, 0.0), 0)
        after = tl.where(col > j, chosen, 0.0)[:, None]
        left = tl.sum(tl.where(here, b, 0.0), 0) - tl.sum(after * x, 0)
        x = tl.where(row[:, None] == j, (left / head)[None, :], x)
    tl.store(x_ptr + system * n * k + row[:, None] * k + side[None, :], x, mask=wanted)


def forward(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a, b = a.contiguous(), b.contiguous()
    x = torch.empty_like(b)
    batch, n, k = b.shape
    N, K = max(2, triton.next_power_of_2(n)), max(2, triton.next_power_of_2(k))
    warps = min(16, max(1, N * max(N, K) // 1024))
    solve_kernel[(batch,)](a, b, x, n, k, N=N, K=K, num_warps=warps)
    return x
