"""Eight rows of the matrix in each program, which writes their part of y and adds up its powers."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def matrix_vector_kernel(
    a_ptr, x_ptr, y_ptr, part_ptr, alpha, beta, p, size, LARGEST: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):
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
    tl.store(y_ptr + row, y.to(y_ptr.dtype.element_ty), mask=row < size)
    power = tl.abs(y) if LARGEST else libdevice.pow(tl.abs(y), p + tl.zeros_like(y))
    part = tl.max(power, axis=0) if LARGEST else tl.sum(power, axis=0)
    tl.store(part_ptr + tl.program_id(0), part)


@triton.jit
def norm_kernel(part_ptr, norm_ptr, parts, p, LARGEST: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, parts, BLOCK):
        part = tl.load(part_ptr + begin + offsets, mask=begin + offsets < parts, other=0.0)
        total = tl.maximum(total, part) if LARGEST else total + part
    norm = tl.max(total, axis=0) if LARGEST else libdevice.pow(tl.sum(total, axis=0), 1.0 / p)
    tl.store(norm_ptr, norm)


def forward(a: torch.Tensor, x: torch.Tensor, alpha: float, beta: float, p: float) -> tuple[torch.Tensor, torch.Tensor]:
    a = a.contiguous()
    size = x.shape[0]
    parts = triton.cdiv(size, 8)
    part = torch.empty((parts,), dtype=torch.float32, device=x.device)
    norm = torch.empty((), dtype=torch.float32, device=x.device)
    y = torch.empty_like(x)
    largest = p == float("inf")
    matrix_vector_kernel[(parts,)](a, x, y, part, alpha, beta, p, size, LARGEST=largest, ROWS=8, COLS=512)
    norm_kernel[(1,)](part, norm, parts, p, LARGEST=largest, BLOCK=1024)
    return norm, y
