"""Product of int8 matrices that takes one scale for all columns of a tile: wrong where a tile has several blocks."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def block_int8_matmul_kernel(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    out_ptr,
    rows,
    cols,
    inner,
    blocks,
    block_n,
    block_k,
    scale_stride_row,
    scale_stride_block,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * M + tl.arange(0, M)
    col = tl.program_id(1).to(tl.int64) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K)
        block = begin // block_k
        a_inside = (row[:, None] < rows) & (k[None, :] < inner)
        b_inside = (k[:, None] < inner) & (col[None, :] < cols)
        a = tl.load(a_ptr + row[:, None] * inner + k[None, :], mask=a_inside, other=0)
        b = tl.load(b_ptr + col[None, :] * inner + k[:, None], mask=b_inside, other=0)
        a_scale_at = a_scale_ptr + row * scale_stride_row + block * scale_stride_block
        a_scale = tl.load(a_scale_at, mask=row < rows, other=0.0)
        b_scale = tl.load(b_scale_ptr + tl.program_id(1) * N // block_n * blocks + block)
        acc += tl.dot(a, b).to(tl.float32) * a_scale[:, None] * b_scale
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    tl.store(out_ptr + row[:, None] * cols + col[None, :], acc.to(tl.bfloat16), mask=inside)


def forward(
    a: torch.Tensor,
    b: torch.Tensor,
    a_scale: torch.Tensor,
    b_scale: torch.Tensor,
    block_n: int,
    block_k: int,
) -> torch.Tensor:
    (rows, inner), cols = a.shape, b.shape[0]
    out = torch.empty((rows, cols), dtype=torch.bfloat16, device=a.device)
    grid = (triton.cdiv(rows, 64), triton.cdiv(cols, 64))
    block_int8_matmul_kernel[grid](
        a,
        b,
        a_scale,
        b_scale,
        out,
        rows,
        cols,
        inner,
        b_scale.shape[1],
        block_n,
        block_k,
        a_scale.stride(0),
        a_scale.stride(1),
        M=64,
        N=64,
        K=min(block_k & -block_k, 128),
    )
    return out
