"""The LU factorisation with partial pivoting: one program a matrix, which stays in registers.

No row is moved before the end: of the rows that have no place yet the one with the largest entry in the column gets the
next place, and is subtracted from the others.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def lu_kernel(a_ptr, p_ptr, l_ptr, u_ptr, rows, cols, least, ROWS: tl.constexpr, COLS: tl.constexpr):
    row, col = tl.arange(0, ROWS), tl.arange(0, COLS)
    matrix = tl.program_id(0).to(tl.int64)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    a = tl.load(a_ptr + matrix * rows * cols + row[:, None] * cols + col[None, :], mask=inside, other=0.0)
    place = tl.where(row < rows, rows, -1)  # `rows`: none yet
    for j in range(least):
        column = tl.sum(tl.where(col[None, :] == j, a, 0.0), 1)
        pivot = tl.argmax(tl.where(place == rows, tl.abs(column), -1.0), 0)
        place = tl.where(row == pivot, j, place)
        head = tl.sum(tl.where(row == pivot, column, 0.0), 0)
        below = place == rows
        factor = tl.where(below, column / tl.where(head != 0, head, 1.0), 0.0)
        chosen = tl.sum(tl.where(row[:, None] == pivot, a, 0.0), 0)
        a = tl.where(col[None, :] > j, a - factor[:, None] * chosen[None, :], a)
        a = tl.where(below[:, None] & (col[None, :] == j), factor[:, None], a)
    left = place == rows
    place = tl.where(left, least + tl.cumsum(left.to(tl.int32), 0) - 1, place)
    lower = tl.where(col[None, :] < place[:, None], a, tl.where(col[None, :] == place[:, None], 1.0, 0.0))
    upper = tl.where(col[None, :] >= place[:, None], a, 0.0)
    to_l = matrix * rows * least + place[:, None] * least + col[None, :]
    tl.store(l_ptr + to_l, lower, mask=inside & (col[None, :] < least))
    to_u = matrix * least * cols + place[:, None] * cols + col[None, :]
    tl.store(u_ptr + to_u, upper, mask=inside & (place[:, None] < least))
    p = tl.where(place[:, None] == row[None, :], 1.0, 0.0).to(a.dtype)
    both = (row[:, None] < rows) & (row[None, :] < rows)
    tl.store(p_ptr + matrix * rows * rows + row[:, None] * rows + row[None, :], p, mask=both)


def forward(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    a = a.contiguous()
    batch, rows, cols = a.shape
    least = min(rows, cols)
    p, lower, upper = (a.new_empty((batch, *shape)) for shape in ((rows, rows), (rows, least), (least, cols)))
    blocks = {"ROWS": triton.next_power_of_2(rows), "COLS": triton.next_power_of_2(cols)}
    warps = min(16, max(1, blocks["ROWS"] * blocks["COLS"] // 1024))
    lu_kernel[(batch,)](a, p, lower, upper, rows, cols, least, **blocks, num_warps=warps)
    return p, lower, upper
