"""Matrix product by block pointers: one program a block of 64 x 64, stored in the dtype of the output."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_tma_load_store(
    a_ptr,
    b_ptr,
    out_ptr,
    rows,
    inner,
    cols,
    a_stride_row,
    b_stride_inner,
    b_stride_col,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    row, col = tl.program_id(0) * M, tl.program_id(1) * N
    a_block = tl.make_block_ptr(a_ptr, (rows, inner), (a_stride_row, 1), (row, 0), (M, K), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (inner, cols), (b_stride_inner, b_stride_col), (0, col), (K, N), (1, 0))
    acc = tl.zeros((M, N), dtype=tl.float32)
    for _ in range(0, inner, K):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc)
        a_block = tl.advance(a_block, (0, K))
        b_block = tl.advance(b_block, (K, 0))
    out_block = tl.make_block_ptr(out_ptr, (rows, cols), (cols, 1), (row, col), (M, N), (1, 0))
    tl.store(out_block, acc.to(out_ptr.dtype.element_ty), boundary_check=(0, 1))


def forward(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    (rows, inner), cols = a.shape, b.shape[1]
    grid = (triton.cdiv(rows, 64), triton.cdiv(cols, 64))
    matmul_tma_load_store[grid](a, b, out, rows, inner, cols, a.stride(0), *b.stride(), M=64, N=64, K=64)
