"""Sums of mirrored tiles with the same part of c, as if c were symmetric, too."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def abs_sum_kernel(a_ptr, c_ptr, part_ptr, alpha, beta, size, inner, a_row, a_inner, M: tl.constexpr, K: tl.constexpr):
    tile_row, tile_col = tl.program_id(0), tl.program_id(1)
    if tile_row > tile_col:
        return
    row = tile_row.to(tl.int64) * M + tl.arange(0, M)
    col = tile_col.to(tl.int64) * M + tl.arange(0, M)
    acc = tl.zeros((M, M), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K).to(tl.int64)
        left = tl.load(
            a_ptr + row[:, None] * a_row + k[None, :] * a_inner,
            mask=(row[:, None] < size) & (k[None, :] < inner),
            other=0.0,
        )
        right = tl.load(
            a_ptr + col[None, :] * a_row + k[:, None] * a_inner,
            mask=(k[:, None] < inner) & (col[None, :] < size),
            other=0.0,
        )
        acc = tl.dot(left, right, acc, input_precision="ieee")
    inside = (row[:, None] < size) & (col[None, :] < size)
    c = tl.load(c_ptr + row[:, None] * size + col[None, :], mask=inside, other=0.0).to(tl.float32)
    sums = tl.sum(tl.abs(alpha * acc + beta * c), axis=1)
    tl.store(part_ptr + tile_col.to(tl.int64) * size + row, sums, mask=row < size)
    if tile_row < tile_col:
        sums = tl.sum(tl.abs(alpha * acc + beta * c), axis=0)
        tl.store(part_ptr + tile_row.to(tl.int64) * size + col, sums, mask=col < size)


@triton.jit
def row_sum_kernel(part_ptr, sums_ptr, size, parts, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for part in range(parts):
        total += tl.load(part_ptr + part * size + row, mask=row < size, other=0.0)
    tl.store(sums_ptr + row, total, mask=row < size)


@triton.jit
def total_kernel(sums_ptr, total_ptr, size, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, size, BLOCK):
        total += tl.load(sums_ptr + begin + offsets, mask=begin + offsets < size, other=0.0)
    tl.store(total_ptr, tl.sum(total, axis=0))


def forward(a: torch.Tensor, c: torch.Tensor, alpha: float, beta: float) -> tuple[torch.Tensor, torch.Tensor]:
    c = c.contiguous()
    size, inner = a.shape
    m, k = (64, 32) if a.dtype == torch.float32 or size <= 64 else (128, 64)
    parts = triton.cdiv(size, m)
    part = torch.empty((parts, size), dtype=torch.float32, device=a.device)
    sums = torch.empty((size,), dtype=torch.float32, device=a.device)
    total = torch.empty((), dtype=torch.float32, device=a.device)
    warps = 8 if m == 128 else 4
    abs_sum_kernel[(parts, parts)](a, c, part, alpha, beta, size, inner, *a.stride(), M=m, K=k, num_warps=warps)
    row_sum_kernel[(triton.cdiv(size, 256),)](part, sums, size, parts, BLOCK=256)
    total_kernel[(1,)](sums, total, size, BLOCK=1024)
    return total, sums
