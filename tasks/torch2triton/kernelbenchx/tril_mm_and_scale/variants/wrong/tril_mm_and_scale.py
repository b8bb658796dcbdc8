"""A product that multiplies what lies above the diagonal by 0, which makes NaN of infinity."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def tril_matmul_kernel(
    a_ptr,
    b_ptr,
    out_ptr,
    factor,
    size,
    cols,
    b_row,
    b_col,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    tile = tl.cdiv(size, M) - 1 - tl.program_id(1)  # the lowest rows, which have most to add, begin first
    row = tile.to(tl.int64) * M + tl.arange(0, M)
    col = tl.program_id(0).to(tl.int64) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, tl.minimum((tile + 1) * M, size), K):
        k = begin + tl.arange(0, K).to(tl.int64)
        inside = (row[:, None] < size) & (k[None, :] < size)
        a = tl.load(a_ptr + row[:, None] * size + k[None, :], mask=inside, other=0.0)
        a *= (k[None, :] <= row[:, None]).to(a.dtype)
        b = tl.load(
            b_ptr + k[:, None] * b_row + col[None, :] * b_col,
            mask=(k[:, None] < size) & (col[None, :] < cols),
            other=0.0,
        )
        acc = tl.dot(a, b, acc, input_precision="ieee")
    out = out_ptr + row[:, None] * cols + col[None, :]
    tl.store(out, (factor * acc).to(out_ptr.dtype.element_ty), mask=(row[:, None] < size) & (col[None, :] < cols))


def forward(a: torch.Tensor, b: torch.Tensor, alpha: float, beta: float) -> torch.Tensor:
    a = a.contiguous()
    size, cols = b.shape
    out = torch.empty((size, cols), dtype=a.dtype, device=a.device)
    m, n, k = (64, 64, 32) if a.dtype == torch.float32 else (128, 128, 64)
    grid = (triton.cdiv(cols, n), triton.cdiv(size, m))
    tril_matmul_kernel[grid](a, b, out, alpha * beta, size, cols, *b.stride(), M=m, N=n, K=k, num_warps=8)
    return out
