"""The reduced QR factorisation by Gram and Schmidt, each column made orthogonal to those before it.

Where columns nearly depend on each other, rounding leaves a Q that is far from orthogonal, though QR is still A.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def qr_kernel(a_ptr, q_ptr, r_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    row, col = tl.arange(0, ROWS), tl.arange(0, COLS)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    start = tl.program_id(0).to(tl.int64) * rows * cols
    q = tl.load(a_ptr + start + row[:, None] * cols + col[None, :], mask=inside, other=0.0)
    square_start = tl.program_id(0).to(tl.int64) * cols * cols
    for j in range(cols):
        column = tl.sum(tl.where(col[None, :] == j, q, 0.0), 1)
        shares = tl.where(col < j, tl.sum(q * column[:, None], 0), 0.0)
        column -= tl.sum(q * shares[None, :], 1)
        length = tl.sqrt(tl.sum(column * column, 0))
        column = tl.where(length > 0, column / tl.where(length > 0, length, 1.0), tl.where(row == j, 1.0, 0.0))
        q = tl.where(col[None, :] == j, column[:, None], q)
        shares = tl.where(col == j, length, shares)
        tl.store(r_ptr + square_start + col * cols + j, shares, mask=col < cols)
    tl.store(q_ptr + start + row[:, None] * cols + col[None, :], q, mask=inside)


def forward(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    a = a.contiguous()
    batch, rows, cols = a.shape
    q, r = torch.empty_like(a), torch.empty((batch, cols, cols), dtype=a.dtype, device=a.device)
    blocks = {"ROWS": triton.next_power_of_2(rows), "COLS": triton.next_power_of_2(cols)}
    warps = min(16, max(1, blocks["ROWS"] * blocks["COLS"] // 1024))
    qr_kernel[(batch,)](a, q, r, rows, cols, **blocks, num_warps=warps)
    return q, r
