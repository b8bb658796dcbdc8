"""A product that reads c where beta is 0 too, so that infinity in it becomes NaN."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def addmm_kernel(
    c_ptr,
    a_ptr,
    b_ptr,
    out_ptr,
    beta,
    alpha,
    rows,
    inner,
    cols,
    c_row,
    a_row,
    a_inner,
    b_inner,
    b_col,
    WITH_C: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    tiles_down, tiles_across = tl.cdiv(rows, M), tl.cdiv(cols, N)
    group, place = tl.program_id(0) // (8 * tiles_across), tl.program_id(0) % (8 * tiles_across)
    height = tl.minimum(tiles_down - group * 8, 8)
    row = (group * 8 + place % height).to(tl.int64) * M + tl.arange(0, M)
    col = (place // height).to(tl.int64) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K).to(tl.int64)
        a = tl.load(
            a_ptr + row[:, None] * a_row + k[None, :] * a_inner,
            mask=(row[:, None] < rows) & (k[None, :] < inner),
            other=0.0,
        )
        b = tl.load(
            b_ptr + k[:, None] * b_inner + col[None, :] * b_col,
            mask=(k[:, None] < inner) & (col[None, :] < cols),
            other=0.0,
        )
        acc = tl.dot(a, b, acc, input_precision="ieee")
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    out = alpha * acc
    if WITH_C:
        c = tl.load(c_ptr + row[:, None] * c_row + col[None, :], mask=inside, other=0.0)
        out += beta * c.to(tl.float32)
    tl.store(out_ptr + row[:, None] * cols + col[None, :], out.to(out_ptr.dtype.element_ty), mask=inside)


def forward(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, beta: float, alpha: float) -> torch.Tensor:
    c = c.contiguous()
    (rows, inner), cols = a.shape, b.shape[1]
    out = torch.empty((rows, cols), dtype=a.dtype, device=a.device)
    m = 16 if rows <= 16 else 64 if rows <= 64 else 128
    n, k = (64, 32) if a.dtype == torch.float32 else (128, 64)
    grid = (triton.cdiv(rows, m) * triton.cdiv(cols, n),)
    addmm_kernel[grid](
        c,
        a,
        b,
        out,
        beta,
        alpha,
        rows,
        inner,
        cols,
        cols if c.shape[0] > 1 else 0,
        *a.stride(),
        *b.stride(),
        WITH_C=True,
        M=m,
        N=n,
        K=k,
        num_warps=8 if m == 128 else 4,
    )
    return out
