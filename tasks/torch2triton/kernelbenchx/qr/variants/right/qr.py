"""The reduced QR factorisation by Householder's reflections: one program a matrix, which stays in registers.

Reflections turn the columns of A into R from the left to the right. Q is made from the right to the left, by the same
reflections on the columns of a unit matrix.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def qr_kernel(a_ptr, q_ptr, r_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    row, col = tl.arange(0, ROWS), tl.arange(0, COLS)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    start = tl.program_id(0).to(tl.int64) * rows * cols
    a = tl.load(a_ptr + start + row[:, None] * cols + col[None, :], mask=inside, other=0.0)
    r = a
    reflections = tl.zeros_like(a)  # v of column j in column j
    weights = tl.zeros_like(tl.sum(a, 0))  # 2 / v'v, or 0
    for j in range(cols):
        below = tl.sum(tl.where(col[None, :] == j, r, 0.0), 1)
        below = tl.where(row >= j, below, 0.0)
        largest = tl.max(tl.abs(below), 0)
        below = below / tl.where(largest > 0, largest, 1.0)  # so that no square leaves the range
        length = tl.sqrt(tl.sum(below * below, 0))
        head = tl.sum(tl.where(row == j, below, 0.0), 0)
        sign = tl.where(head < 0, -1.0, 1.0)
        v = tl.where(row == j, below + sign * length, below)
        square = tl.sum(v * v, 0)  # of the rounded v, so that the reflection is one
        weight = tl.where(square > 0, 2 / tl.where(square > 0, square, 1.0), 0.0)
        r -= (weight * v)[:, None] * tl.sum(v[:, None] * r, 0)[None, :]
        reflections = tl.where(col[None, :] == j, v[:, None], reflections)
        weights = tl.where(col == j, weight, weights)
    q = tl.where(row[:, None] == col[None, :], 1.0, 0.0).to(a.dtype)
    for i in range(cols):
        j = cols - 1 - i
        v = tl.sum(tl.where(col[None, :] == j, reflections, 0.0), 1)
        weight = tl.sum(tl.where(col == j, weights, 0.0), 0)
        q -= (weight * v)[:, None] * tl.sum(v[:, None] * q, 0)[None, :]
    tl.store(q_ptr + start + row[:, None] * cols + col[None, :], q, mask=inside)
    r = tl.where(row[:, None] <= col[None, :], r, 0.0)
    square_start = tl.program_id(0).to(tl.int64) * cols * cols
    tl.store(r_ptr + square_start + row[:, None] * cols + col[None, :], r, mask=inside & (row[:, None] < cols))


def forward(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    a = a.contiguous()
    batch, rows, cols = a.shape
    q, r = torch.empty_like(a), torch.empty((batch, cols, cols), dtype=a.dtype, device=a.device)
    blocks = {"ROWS": triton.next_power_of_2(rows), "COLS": triton.next_power_of_2(cols)}
    warps = min(16, max(1, blocks["ROWS"] * blocks["COLS"] // 1024))
    qr_kernel[(batch,)](a, q, r, rows, cols, **blocks, num_warps=warps)
    return q, r
