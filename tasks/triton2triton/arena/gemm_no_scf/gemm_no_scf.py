"""Product of a tall and a wide matrix without a loop: the whole of inner is one block, 64 x 64 results a program."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_no_scf_kernel(
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
    out_stride_row,
    out_stride_col,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    first_row, first_col = tl.program_id(0) * M, tl.program_id(1) * N
    a_block = tl.make_block_ptr(a_ptr, (rows, inner), (a_stride_row, a_stride_inner), (first_row, 0), (M, K), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (inner, cols), (b_stride_inner, b_stride_col), (0, first_col), (K, N), (1, 0))
    a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
    b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
    out = tl.dot(a, b).to(out_ptr.dtype.element_ty)
    out_strides = (out_stride_row, out_stride_col)
    out_block = tl.make_block_ptr(out_ptr, (rows, cols), out_strides, (first_row, first_col), (M, N), (1, 0))
    tl.store(out_block, out, boundary_check=(0, 1))


def forward(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    (rows, inner), cols = a.shape, b.shape[1]
    matmul_no_scf_kernel[(triton.cdiv(rows, 64), triton.cdiv(cols, 64))](
        a,
        b,
        out,
        rows,
        inner,
        cols,
        a.stride(0),
        a.stride(1),
        b.stride(0),
        b.stride(1),
        out.stride(0),
        out.stride(1),
        M=64,
        N=64,
        K=max(16, triton.next_power_of_2(inner)),
    )
