"""Where chosen rows or columns equal another tensor, but large whole numbers are compared as floats."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def select_eq_kernel(
    x_ptr,
    index_ptr,
    other_ptr,
    out_ptr,
    rows,
    cols,
    x_cols,
    other_row,
    other_col,
    DIM: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    col = tl.program_id(1) * COLS + tl.arange(0, COLS)
    inside = (row < rows)[:, None] & (col < cols)[None, :]
    if DIM == 0:
        number = tl.load(index_ptr + row, mask=row < rows, other=0).to(tl.int64)
        place = (number * x_cols)[:, None] + col[None, :]
    else:
        number = tl.load(index_ptr + col, mask=col < cols, other=0).to(tl.int64)
        place = (row * x_cols)[:, None] + number[None, :]
    x = tl.load(x_ptr + place, mask=inside)
    other = tl.load(other_ptr + (row * other_row)[:, None] + (col * other_col)[None, :], mask=inside)
    tl.store(out_ptr + (row * cols)[:, None] + col[None, :], x.to(tl.float32) == other.to(tl.float32), mask=inside)


def forward(x: torch.Tensor, dim: int, index: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    rows, cols = (len(index), x.shape[1]) if dim == 0 else (x.shape[0], len(index))
    out = torch.empty((rows, cols), dtype=torch.bool, device=x.device)
    steps = other.expand(rows, cols).stride()
    block = min(1024, triton.next_power_of_2(cols))
    grid = (triton.cdiv(rows, 1024 // block), triton.cdiv(cols, block))
    select_eq_kernel[grid](
        x, index, other, out, rows, cols, x.shape[1], *steps, DIM=dim, ROWS=1024 // block, COLS=block
    )
    return out
