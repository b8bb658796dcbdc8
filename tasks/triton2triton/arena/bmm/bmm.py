"""Products of a batch of matrix pairs: one program a block of 64 x 64 of one product."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def bmm_kernel(
    a_ptr,
    b_ptr,
    out_ptr,
    rows,
    inner,
    cols,
    a_stride_batch,
    a_stride_row,
    a_stride_inner,
    b_stride_batch,
    b_stride_inner,
    b_stride_col,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    pair = tl.program_id(2).to(tl.int64)
    row = tl.program_id(0).to(tl.int64) * M + tl.arange(0, M)
    col = tl.program_id(1).to(tl.int64) * N + tl.arange(0, N)
    a_rows = a_ptr + pair * a_stride_batch + row[:, None] * a_stride_row
    b_cols = b_ptr + pair * b_stride_batch + col[None, :] * b_stride_col
    acc = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K).to(tl.int64)
        a_inside = (row[:, None] < rows) & (k[None, :] < inner)
        b_inside = (k[:, None] < inner) & (col[None, :] < cols)
        a = tl.load(a_rows + k[None, :] * a_stride_inner, mask=a_inside, other=0.0)
        b = tl.load(b_cols + k[:, None] * b_stride_inner, mask=b_inside, other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    out = out_ptr + pair * rows * cols + row[:, None] * cols + col[None, :]
    tl.store(out, acc.to(out_ptr.dtype.element_ty), mask=inside)


def forward(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (batch, rows, inner), cols = a.shape, b.shape[2]
    out = torch.empty((batch, rows, cols), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(rows, 64), triton.cdiv(cols, 64), batch)
    bmm_kernel[grid](a, b, out, rows, inner, cols, *a.stride(), *b.stride(), M=64, N=64, K=32)
    return out
