"""Product of 8-bit floats with a scale for each row and column: one program a block of 64 x 64."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def scaled_mm_kernel(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    bias_ptr,
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
    a_scale = tl.load(a_scale_ptr + row, mask=row < rows, other=0.0)
    b_scale = tl.load(b_scale_ptr + col, mask=col < cols, other=0.0)
    out = acc * a_scale[:, None] * b_scale[None, :]
    if HAS_BIAS:
        out += tl.load(bias_ptr + col, mask=col < cols, other=0.0).to(tl.float32)[None, :]
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    tl.store(out_ptr + row[:, None] * cols + col[None, :], out.to(tl.bfloat16), mask=inside)


def forward(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, bias: torch.Tensor | None
) -> torch.Tensor:
    a = a.contiguous()
    (rows, inner), cols = a.shape, b.shape[1]
    out = torch.empty((rows, cols), dtype=torch.bfloat16, device=a.device)
    grid = (triton.cdiv(rows, 64), triton.cdiv(cols, 64))
    scaled_mm_kernel[grid](
        a,
        b,
        a_scale,
        b_scale,
        bias if bias is not None else a_scale,
        out,
        rows,
        inner,
        cols,
        b.stride(0),
        b.stride(1),
        HAS_BIAS=bias is not None,
        M=64,
        N=64,
        K=64,
    )
    return out
