"""The LDL factorisation without pivots: a small entry of the diagonal makes what follows inexact, and zeros end it."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def ldl_kernel(a_ptr, factors_ptr, pivots_ptr, n, N: tl.constexpr):
    row, col = tl.arange(0, N), tl.arange(0, N)
    matrix = tl.program_id(0).to(tl.int64)
    inside = (row[:, None] < n) & (col[None, :] < n)
    a = tl.load(a_ptr + matrix * n * n + row[:, None] * n + col[None, :], mask=inside, other=0.0)
    for k in range(n):
        column = tl.sum(tl.where(col[None, :] == k, a, 0.0), 1)
        across = tl.sum(tl.where(row[:, None] == k, a, 0.0), 0)
        head = tl.sum(tl.where(row == k, column, 0.0), 0)
        factor = tl.where(row > k, column / tl.where(head != 0, head, 1.0), 0.0)
        a -= factor[:, None] * tl.where(col > k, across, 0.0)[None, :]
        done = tl.where(row == k, head, factor)
        tl.store(factors_ptr + matrix * n * n + row * n + k, done, mask=row < n)
    tl.store(pivots_ptr + matrix * n + row, row + 1, mask=row < n)


def forward(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    a = a.contiguous()
    batch, n, _ = a.shape
    factors, pivots = torch.empty_like(a), torch.empty((batch, n), dtype=torch.int32, device=a.device)
    block = max(2, triton.next_power_of_2(n))
    ldl_kernel[(batch,)](a, factors, pivots, n, N=block, num_warps=min(16, max(1, block * block // 1024)))
    return factors, pivots
