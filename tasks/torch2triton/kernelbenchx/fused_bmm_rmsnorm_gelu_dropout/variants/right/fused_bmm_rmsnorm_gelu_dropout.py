"""A batch of products in float32, and a kernel that takes each row through norm, GELU and dropout."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def bmm_kernel(a_ptr, b_ptr, z_ptr, rows, inner, cols, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    batch = tl.program_id(2)
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.program_id(1) * N + tl.arange(0, N)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K)
        a_mask = (row[:, None] < rows) & (k[None, :] < inner)
        b_mask = (k[:, None] < inner) & (col[None, :] < cols)
        a = tl.load(a_ptr + (batch * rows + row)[:, None] * inner + k[None, :], mask=a_mask, other=0.0)
        b = tl.load(b_ptr + (batch * inner + k)[:, None] * cols + col[None, :], mask=b_mask, other=0.0)
        sums = tl.dot(a, b, sums, input_precision="ieee")
    mask = (row[:, None] < rows) & (col[None, :] < cols)
    tl.store(z_ptr + (batch * rows + row)[:, None] * cols + col[None, :], sums, mask=mask)


@triton.jit
def norm_gelu_dropout_kernel(
    z_ptr, seed_ptr, out_ptr, rows, cols, eps, p, APPROXIMATE: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    squares = tl.zeros((ROWS, BLOCK), dtype=tl.float32)
    for begin in range(0, cols, BLOCK):
        col = begin + tl.arange(0, BLOCK)
        mask = (row[:, None] < rows) & (col[None, :] < cols)
        z = tl.load(z_ptr + row[:, None] * cols + col[None, :], mask=mask, other=0.0)
        squares += z * z
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=1) / cols + eps)
    seed = tl.load(seed_ptr)
    for begin in range(0, cols, BLOCK):
        col = begin + tl.arange(0, BLOCK)
        mask = (row[:, None] < rows) & (col[None, :] < cols)
        places = row[:, None] * cols + col[None, :]
        x = tl.load(z_ptr + places, mask=mask, other=0.0) * scale[:, None]
        if APPROXIMATE:
            active = x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
        else:
            active = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
        keep = tl.rand(seed, places) >= p
        out = tl.where(keep, active / (1 - p), 0.0)
        tl.store(out_ptr + places, out.to(out_ptr.dtype.element_ty), mask=mask)


def forward(
    a: torch.Tensor, b: torch.Tensor, eps: float, approximate: int, seed: torch.Tensor, p: float
) -> torch.Tensor:
    a, b = a.contiguous(), b.contiguous()
    (batch, rows, inner), cols = a.shape, b.shape[2]
    z = torch.empty((batch, rows, cols), dtype=torch.float32, device=a.device)
    out = torch.empty((batch, rows, cols), dtype=a.dtype, device=a.device)
    m, n = (32, 32) if a.dtype == torch.float32 else (64, 64)
    bmm_kernel[(triton.cdiv(rows, m), triton.cdiv(cols, n), batch)](a, b, z, rows, inner, cols, M=m, N=n, K=32)
    block = min(1024, triton.next_power_of_2(cols))
    of_program = 2048 // block
    norm_gelu_dropout_kernel[(triton.cdiv(batch * rows, of_program),)](
        z, seed, out, batch * rows, cols, eps, p, APPROXIMATE=bool(approximate), ROWS=of_program, BLOCK=block
    )
    return out
