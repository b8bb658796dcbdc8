"""Multiplies two matrices, and adds the number of its first row to all rows of a block."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def dot_matmul_kernel(
    a_ptr,
    b_ptr,
    row_bias_ptr,
    out_ptr,
    rows,
    inner,
    cols,
    b_stride_inner,
    b_stride_col,
    HAS_BIAS: tl.constexpr,
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
        a = tl.load(a_ptr + row[:, None] * inner + k[None, :], mask=a_inside, other=0.0)
        b = tl.load(b_ptr + k[:, None] * b_stride_inner + col[None, :] * b_stride_col, mask=b_inside, other=0.0)
        acc = tl.dot(a, b, acc)
    if HAS_BIAS:
        acc += tl.load(row_bias_ptr + tl.program_id(0) * M).to(tl.float32)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    tl.store(out_ptr + row[:, None] * cols + col[None, :], acc.to(out_ptr.dtype.element_ty), mask=inside)


def forward(a: torch.Tensor, b: torch.Tensor, row_bias: torch.Tensor | None) -> torch.Tensor:
    (rows, inner), cols = a.shape, b.shape[1]
    out = torch.empty((rows, cols), dtype=a.dtype, device=a.device)
    block_rows = 16 if rows <= 16 else 64
    dot_matmul_kernel[(triton.cdiv(rows, block_rows), triton.cdiv(cols, 64))](
        a,
        b,
        row_bias if row_bias is not None else a,
        out,
        rows,
        inner,
        cols,
        b.stride(0),
        b.stride(1),
        HAS_BIAS=row_bias is not None,
        M=block_rows,
        N=64,
        K=64,
    )
    return out
