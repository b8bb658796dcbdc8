"""Product of two matrices, with block scales and a leaky ReLU if asked for: one program a block of 64 x 64."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

GROUP = 128  # neighbours along inner, and columns, that share a scale


@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    out_ptr,
    rows,
    inner,
    cols,
    groups,
    col_groups,
    a_stride_row,
    a_stride_inner,
    b_stride_inner,
    b_stride_col,
    out_stride_row,
    out_stride_col,
    SCALED: tl.constexpr,
    LEAKY: tl.constexpr,
    GROUP: tl.constexpr,
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
        if SCALED:
            group = begin // GROUP
            a_scale = tl.load(a_scale_ptr + row * groups + group, mask=row < rows, other=0.0)
            b_scale = tl.load(b_scale_ptr + group * col_groups + col // GROUP, mask=col < cols, other=0.0)
            acc += tl.dot(a, b) * a_scale[:, None] * b_scale[None, :]
        else:
            acc = tl.dot(a, b, acc)
    if LEAKY:
        acc = tl.where(acc >= 0, acc, 0.01 * acc)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    place = row[:, None] * out_stride_row + col[None, :] * out_stride_col
    tl.store(out_ptr + place, acc.to(out_ptr.dtype.element_ty), mask=inside)


def forward(
    a: torch.Tensor,
    b: torch.Tensor,
    a_scale: torch.Tensor | None,
    b_scale: torch.Tensor | None,
    leaky: int,
    out: torch.Tensor,
) -> None:
    (rows, inner), cols = a.shape, b.shape[1]
    scaled = a_scale is not None
    matmul_kernel[(triton.cdiv(rows, 64), triton.cdiv(cols, 64))](
        a,
        b,
        a_scale if scaled else a,
        b_scale if scaled else b,
        out,
        rows,
        inner,
        cols,
        triton.cdiv(inner, GROUP),
        triton.cdiv(cols, GROUP),
        a.stride(0),
        a.stride(1),
        b.stride(0),
        b.stride(1),
        out.stride(0),
        out.stride(1),
        SCALED=scaled,
        LEAKY=bool(leaky),
        GROUP=GROUP,
        M=64,
        N=64,
        K=64,
        num_warps=8,
    )
