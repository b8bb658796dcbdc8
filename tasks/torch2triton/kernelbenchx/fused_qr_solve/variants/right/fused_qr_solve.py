"""Solves least squares problems by Householder's reflections: one program a problem, which stays in registers.

Each reflection turns a column of A into one of R and is used on the right sides at once, so that Q is never made.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def solve_kernel(a_ptr, b_ptr, x_ptr, rows, cols, k, ROWS: tl.constexpr, COLS: tl.constexpr, K: tl.constexpr):
    problem = tl.program_id(0).to(tl.int64)
    row, col, side = tl.arange(0, ROWS), tl.arange(0, COLS), tl.arange(0, K)
    known = (row[:, None] < rows) & (col[None, :] < cols)
    given = (row[:, None] < rows) & (side[None, :] < k)
    a = tl.load(a_ptr + problem * rows * cols + row[:, None] * cols + col[None, :], mask=known, other=0.0)
    b = tl.load(b_ptr + problem * rows * k + row[:, None] * k + side[None, :], mask=given, other=0.0)
    for j in range(cols):
        column = tl.sum(tl.where(col[None, :] == j, a, 0.0), 1)
        v = tl.where(row >= j, column, 0.0)
        length = tl.sqrt(tl.sum(v * v, 0))
        head = tl.sum(tl.where(row == j, v, 0.0), 0)
        v = tl.where(row == j, head + tl.where(head < 0, -1.0, 1.0) * length, v)
        weighted = v * (2 / tl.sum(v * v, 0))
        a -= weighted[:, None] * tl.sum(v[:, None] * a, 0)[None, :]
        b -= weighted[:, None] * tl.sum(v[:, None] * b, 0)[None, :]
    for step in range(cols):
        j = cols - 1 - step
        column = tl.where(row < j, tl.sum(tl.where(col[None, :] == j, a, 0.0), 1), 0.0)
        here = row[:, None] == j
        head = tl.sum(tl.sum(tl.where(here & (col[None, :] == j), a, 0.0), 1), 0)
        solved = tl.sum(tl.where(here, b, 0.0), 0) / head
        b = tl.where(here, solved[None, :], b - column[:, None] * solved[None, :])
    wanted = (row[:, None] < cols) & (side[None, :] < k)
    tl.store(x_ptr + problem * cols * k + row[:, None] * k + side[None, :], b, mask=wanted)


def forward(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a, b = a.contiguous(), b.contiguous()
    batch, rows, cols = a.shape
    k = b.shape[2]
    x = b.new_empty((batch, cols, k))
    sizes = (triton.next_power_of_2(size) for size in (rows, cols, k))
    blocks = dict(zip(("ROWS", "COLS", "K"), sizes, strict=True))
    warps = min(16, max(1, blocks["ROWS"] * blocks["COLS"] // 1024))
    solve_kernel[(batch,)](a, b, x, rows, cols, k, **blocks, num_warps=warps)
    return x
