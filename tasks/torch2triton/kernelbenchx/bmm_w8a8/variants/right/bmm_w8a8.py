"""W8A8 products: rows of a and columns of b are quantised first, and int8 blocks are summed in int32."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def quantise_rows_kernel(x_ptr, q_ptr, scale_ptr, inner, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    largest = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, inner, BLOCK):
        x = tl.load(x_ptr + row * inner + begin + offsets, mask=begin + offsets < inner, other=0.0)
        largest = tl.maximum(largest, tl.abs(x.to(tl.float32)))
    scale = tl.max(largest, axis=0) / 127.0
    scale = tl.where(scale == 0.0, 1.0, scale)
    tl.store(scale_ptr + row, scale)
    for begin in range(0, inner, BLOCK):
        inside = begin + offsets < inner
        x = tl.load(x_ptr + row * inner + begin + offsets, mask=inside, other=0.0).to(tl.float32)
        tl.store(q_ptr + row * inner + begin + offsets, tl.floor(x / scale + 0.5).to(tl.int8), mask=inside)


@triton.jit
def quantise_columns_kernel(x_ptr, q_ptr, scale_ptr, inner, cols, K: tl.constexpr, N: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    col = tl.program_id(0) * N + tl.arange(0, N)
    largest = tl.zeros((K, N), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K)
        inside = (k[:, None] < inner) & (col[None, :] < cols)
        x = tl.load(x_ptr + (batch * inner + k)[:, None] * cols + col[None, :], mask=inside, other=0.0)
        largest = tl.maximum(largest, tl.abs(x.to(tl.float32)))
    scale = tl.max(largest, axis=0) / 127.0
    scale = tl.where(scale == 0.0, 1.0, scale)
    tl.store(scale_ptr + batch * cols + col, scale, mask=col < cols)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K)
        inside = (k[:, None] < inner) & (col[None, :] < cols)
        places = (batch * inner + k)[:, None] * cols + col[None, :]
        x = tl.load(x_ptr + places, mask=inside, other=0.0).to(tl.float32)
        tl.store(q_ptr + places, tl.floor(x / scale[None, :] + 0.5).to(tl.int8), mask=inside)


@triton.jit
def int8_bmm_kernel(
    a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, out_ptr, rows, inner, cols,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(2).to(tl.int64)
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.program_id(1) * N + tl.arange(0, N)
    sums = tl.zeros((M, N), dtype=tl.int32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K)
        a_mask = (row[:, None] < rows) & (k[None, :] < inner)
        b_mask = (k[:, None] < inner) & (col[None, :] < cols)
        a = tl.load(a_ptr + (batch * rows + row)[:, None] * inner + k[None, :], mask=a_mask, other=0)
        b = tl.load(b_ptr + (batch * inner + k)[:, None] * cols + col[None, :], mask=b_mask, other=0)
        sums += tl.dot(a.to(tl.int8), b.to(tl.int8))
    a_scale = tl.load(a_scale_ptr + batch * rows + row, mask=row < rows, other=0.0)
    b_scale = tl.load(b_scale_ptr + batch * cols + col, mask=col < cols, other=0.0)
    out = sums.to(tl.float32) * a_scale[:, None] * b_scale[None, :]
    mask = (row[:, None] < rows) & (col[None, :] < cols)
    places = (batch * rows + row)[:, None] * cols + col[None, :]
    tl.store(out_ptr + places, out.to(out_ptr.dtype.element_ty), mask=mask)


def forward(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a, b = a.contiguous(), b.contiguous()
    (batch, rows, inner), cols = a.shape, b.shape[2]
    a_q = torch.empty(a.shape, dtype=torch.int8, device=a.device)
    b_q = torch.empty(b.shape, dtype=torch.int8, device=a.device)
    a_scale = torch.empty((batch, rows), dtype=torch.float32, device=a.device)
    b_scale = torch.empty((batch, cols), dtype=torch.float32, device=a.device)
    out = torch.empty((batch, rows, cols), dtype=a.dtype, device=a.device)
    quantise_rows_kernel[(batch * rows,)](a, a_q, a_scale, inner, BLOCK=min(4096, triton.next_power_of_2(inner)))
    quantise_columns_kernel[(triton.cdiv(cols, 64), batch)](b, b_q, b_scale, inner, cols, K=64, N=64)
    m = 16 if rows <= 16 else 64 if rows <= 256 else 128
    grid = (triton.cdiv(rows, m), triton.cdiv(cols, 128), batch)
    int8_bmm_kernel[grid](a_q, b_q, a_scale, b_scale, out, rows, inner, cols, M=m, N=128, K=64)
    return out
