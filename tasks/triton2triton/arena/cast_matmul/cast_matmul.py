"""Matrix product of factors that are cast first: one program a block of 64 x 64."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    out_ptr,
    rows,
    inner,
    cols,
    a_stride_row,
    a_stride_inner,
    b_stride_inner,
    b_stride_col,
    FACTOR: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * M + tl.arange(0, M)
    col = tl.program_id(1).to(tl.int64) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K).to(tl.int64)
        a_inside = (row[:, None] < rows) & (k[None, :] < inner)
        b_inside = (k[:, None] < inner) & (col[None, :] < cols)
        a = tl.load(a_ptr + row[:, None] * a_stride_row + k[None, :] * a_stride_inner, mask=a_inside, other=0.0)
        b = tl.load(b_ptr + k[:, None] * b_stride_inner + col[None, :] * b_stride_col, mask=b_inside, other=0.0)
        acc = tl.dot(a.to(FACTOR), b.to(FACTOR), acc, input_precision="ieee")
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    tl.store(out_ptr + row[:, None] * cols + col[None, :], acc.to(out_ptr.dtype.element_ty), mask=inside)


def forward(a: torch.Tensor, b: torch.Tensor, half: int, out: torch.Tensor) -> None:
    (rows, inner), cols = a.shape, b.shape[1]
    grid = (triton.cdiv(rows, 64), triton.cdiv(cols, 64))
    factor = tl.float16 if half else tl.float32
    matmul_kernel[grid](a, b, out, rows, inner, cols, *a.stride(), *b.stride(), FACTOR=factor, M=64, N=64, K=32)
