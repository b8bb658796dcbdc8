"""Products of neighbouring rows that leave out the matrix c."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def row_dot_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    part_ptr,
    alpha,
    beta,
    pairs,
    inner,
    cols,
    a_row,
    a_inner,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    pair = tl.program_id(0).to(tl.int64) * M + tl.arange(0, M)
    col = tl.program_id(1).to(tl.int64) * N + tl.arange(0, N)
    upper = tl.zeros((M, N), dtype=tl.float32)
    lower = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K).to(tl.int64)
        inside = (pair[:, None] < pairs) & (k[None, :] < inner)
        a = a_ptr + 2 * pair[:, None] * a_row + k[None, :] * a_inner
        b = tl.load(
            b_ptr + k[:, None] * cols + col[None, :], mask=(k[:, None] < inner) & (col[None, :] < cols), other=0.0
        )
        upper = tl.dot(tl.load(a, mask=inside, other=0.0), b, upper, input_precision="ieee")
        lower = tl.dot(tl.load(a + a_row, mask=inside, other=0.0), b, lower, input_precision="ieee")
    upper = alpha * upper
    lower = alpha * lower
    tl.store(part_ptr + tl.program_id(1).to(tl.int64) * pairs + pair, tl.sum(upper * lower, axis=1), mask=pair < pairs)


@triton.jit
def sum_kernel(part_ptr, out_ptr, pairs, parts, BLOCK: tl.constexpr):
    pair = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for part in range(parts):
        total += tl.load(part_ptr + part * pairs + pair, mask=pair < pairs, other=0.0)
    tl.store(out_ptr + pair, total, mask=pair < pairs)


def forward(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, alpha: float, beta: float) -> torch.Tensor:
    b, c = b.contiguous(), c.contiguous()
    (rows, inner), cols = a.shape, b.shape[1]
    pairs = rows // 2
    m, n, k = (32, 64, 32) if a.dtype == torch.float32 else (64, 128, 64)
    parts = triton.cdiv(cols, n)
    part = torch.empty((parts, pairs), dtype=torch.float32, device=a.device)
    out = torch.empty((pairs,), dtype=torch.float32, device=a.device)
    grid = (triton.cdiv(pairs, m), parts)
    row_dot_kernel[grid](a, b, c, part, alpha, beta, pairs, inner, cols, *a.stride(), M=m, N=n, K=k, num_warps=8)
    sum_kernel[(triton.cdiv(pairs, 256),)](part, out, pairs, parts, BLOCK=256)
    return out
