"""The LDL factorisation with the pivots of Bunch and Kaufman: one program a matrix, which stays in registers.

Where the entry of the diagonal is too small beside the largest one of its column, that one's row and column take its
place, or both rows together make a block of two. What is left stays symmetric.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def entry(column, row, at):
    return tl.sum(tl.where(row == at, column, 0.0), 0)


@triton.jit
def ldl_kernel(a_ptr, factors_ptr, pivots_ptr, n, N: tl.constexpr):
    row, col = tl.arange(0, N), tl.arange(0, N)
    matrix = tl.program_id(0).to(tl.int64)
    inside = (row[:, None] < n) & (col[None, :] < n)
    a = tl.load(a_ptr + matrix * n * n + row[:, None] * n + col[None, :], mask=inside, other=0.0)
    factors_ptr += matrix * n * n
    pivots_ptr += matrix * n
    second = False  # whether this column belongs to a block that was done with the one before
    for k in range(n):
        if second:
            second = False
        else:
            # Which rows come next: k as it is, the other one in its place, or both.
            below = tl.where((row > k) & (row < n), tl.abs(tl.sum(tl.where(col[None, :] == k, a, 0.0), 1)), 0.0)
            largest = tl.max(below, 0)
            other = tl.where(largest > 0, tl.argmax(below, 0), k)
            crossing = tl.abs(tl.sum(tl.where(col[None, :] == other, a, 0.0), 1))
            beside = tl.max(tl.where((row >= k) & (row < n) & (row != other), crossing, 0.0), 0)
            head = tl.abs(entry(tl.sum(tl.where(col[None, :] == k, a, 0.0), 1), row, k))
            stays = (head >= 0.6404 * largest) | (head * beside >= 0.6404 * largest * largest)
            alone = stays | (entry(crossing, row, other) >= 0.6404 * beside)
            other = tl.where(stays, k, other)
            second = alone == 0
            here = tl.where(alone, k, k + 1)
            # Exchange rows and columns `here` and `other`.
            upper = tl.sum(tl.where(row[:, None] == here, a, 0.0), 0)[None, :]
            lower = tl.sum(tl.where(row[:, None] == other, a, 0.0), 0)[None, :]
            a = tl.where(row[:, None] == here, lower, tl.where(row[:, None] == other, upper, a))
            left = tl.sum(tl.where(col[None, :] == here, a, 0.0), 1)[:, None]
            right = tl.sum(tl.where(col[None, :] == other, a, 0.0), 1)[:, None]
            a = tl.where(col[None, :] == here, right, tl.where(col[None, :] == other, left, a))
            # Divide by the block and subtract it from what is left.
            one = tl.sum(tl.where(col[None, :] == k, a, 0.0), 1)
            across = tl.sum(tl.where(row[:, None] == k, a, 0.0), 0)
            head = entry(one, row, k)
            if alone:
                factor = tl.where(row > k, one / tl.where(head != 0, head, 1.0), 0.0)
                a -= factor[:, None] * tl.where(col > k, across, 0.0)[None, :]
                tl.store(factors_ptr + row * n + k, tl.where(row == k, head, factor), mask=row < n)
                tl.store(pivots_ptr + k, other + 1)
            else:
                two = tl.sum(tl.where(col[None, :] == k + 1, a, 0.0), 1)
                below_across = tl.sum(tl.where(row[:, None] == k + 1, a, 0.0), 0)
                corner = entry(one, row, k + 1)
                tail = entry(two, row, k + 1)
                scale = 1 / ((head / corner) * (tail / corner) - 1) / corner
                factor_one = tl.where(row > k + 1, scale * (tail / corner * one - two), 0.0)
                factor_two = tl.where(row > k + 1, scale * (head / corner * two - one), 0.0)
                a -= factor_one[:, None] * tl.where(col > k + 1, across, 0.0)[None, :]
                a -= factor_two[:, None] * tl.where(col > k + 1, below_across, 0.0)[None, :]
                block = tl.where(row == k, head, tl.where(row == k + 1, corner, factor_one))
                tl.store(factors_ptr + row * n + k, block, mask=row < n)
                tl.store(factors_ptr + row * n + k + 1, tl.where(row == k + 1, tail, factor_two), mask=row < n)
                tl.store(pivots_ptr + k, -(other + 1))
                tl.store(pivots_ptr + k + 1, -(other + 1))


def forward(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    a = a.contiguous()
    batch, n, _ = a.shape
    factors, pivots = torch.empty_like(a), torch.empty((batch, n), dtype=torch.int32, device=a.device)
    block = max(2, triton.next_power_of_2(n))
    ldl_kernel[(batch,)](a, factors, pivots, n, N=block, num_warps=min(16, max(1, block * block // 1024)))
    return factors, pivots
