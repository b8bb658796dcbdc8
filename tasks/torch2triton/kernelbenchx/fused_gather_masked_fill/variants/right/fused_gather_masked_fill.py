"""Gathered elements and a number where a mask is true, in one kernel: what the mask hides is not read."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def gather_fill_kernel(
    x_ptr,
    index_ptr,
    mask_ptr,
    out_ptr,
    value,
    rows,
    cols,
    x_row,
    x_col,
    mask_row,
    mask_col,
    DIM: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row = (tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS))[:, None]
    col = (tl.program_id(1) * COLS + tl.arange(0, COLS))[None, :]
    inside = (row < rows) & (col < cols)
    hidden = tl.load(mask_ptr + row * mask_row + col * mask_col, mask=inside, other=0) != 0
    index = tl.load(index_ptr + row * cols + col, mask=inside, other=0)
    source = index * x_row + col * x_col if DIM == 0 else row * x_row + index * x_col
    x = tl.load(x_ptr + source, mask=inside & (hidden == 0))
    filled = tl.full((ROWS, COLS), value, x_ptr.dtype.element_ty)
    tl.store(out_ptr + row * cols + col, tl.where(hidden, filled, x), mask=inside)


def forward(x: torch.Tensor, dim: int, index: torch.Tensor, mask: torch.Tensor, value: int) -> torch.Tensor:
    out = torch.empty(index.shape, dtype=x.dtype, device=x.device)
    rows, cols = index.shape
    block = min(1024, triton.next_power_of_2(cols))
    grid = (triton.cdiv(rows, 1024 // block), triton.cdiv(cols, block))
    steps = (*x.stride(), *mask.expand(rows, cols).stride())
    gather_fill_kernel[grid](x, index, mask, out, value, rows, cols, *steps, DIM=dim, ROWS=1024 // block, COLS=block)
    return out
