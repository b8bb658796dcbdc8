"""A few rows of the matrix in each program, which updates their part of y and adds up that of the dot product."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def matrix_vector_kernel(
    a_ptr, x_ptr, y_ptr, part_ptr, alpha, beta, size, a_batch, a_row, a_col, ROWS: tl.constexpr, COLS: tl.constexpr
):
    batch = tl.program_id(1).to(tl.int64)
    a_ptr += batch * a_batch
    x_ptr += batch * size
    y_ptr += batch * size
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for begin in range(0, size, COLS):
        col = begin + tl.arange(0, COLS).to(tl.int64)
        a = tl.load(
            a_ptr + row[:, None] * a_row + col[None, :] * a_col,
            mask=(row[:, None] < size) & (col[None, :] < size),
            other=0.0,
        )
        x = tl.load(x_ptr + col, mask=col < size, other=0.0)
        acc += a.to(tl.float32) * x.to(tl.float32)[None, :]
    y = tl.load(y_ptr + row, mask=row < size, other=0.0).to(tl.float32)
    y = alpha * tl.sum(acc, axis=1) + beta * y
    tl.store(y_ptr + row, y.to(y_ptr.dtype.element_ty), mask=row < size)
    x = tl.load(x_ptr + row, mask=row < size, other=0.0)
    place = batch * tl.num_programs(0) + tl.program_id(0)
    tl.store(part_ptr + place, tl.sum(y * x.to(tl.float32), axis=0))


@triton.jit
def total_kernel(part_ptr, dot_ptr, parts, BLOCK: tl.constexpr):
    batch, offsets = tl.program_id(0), tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, parts, BLOCK):
        total += tl.load(part_ptr + batch * parts + begin + offsets, mask=begin + offsets < parts, other=0.0)
    tl.store(dot_ptr + batch, tl.sum(total, axis=0))


def forward(
    a: torch.Tensor, x: torch.Tensor, y: torch.Tensor, alpha: float, beta: float
) -> tuple[torch.Tensor, torch.Tensor]:
    batch, size = x.shape
    rows, cols = (8, 512) if a.stride(2) == 1 else (64, 64)
    parts = triton.cdiv(size, rows)
    part = torch.empty((batch, parts), dtype=torch.float32, device=x.device)
    dot = torch.empty((batch,), dtype=torch.float32, device=x.device)
    matrix_vector_kernel[(parts, batch)](a, x, y, part, alpha, beta, size, *a.stride(), ROWS=rows, COLS=cols)
    total_kernel[(batch,)](part, dot, parts, BLOCK=1024)
    return y, dot
