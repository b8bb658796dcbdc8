"""Product with packed 4-bit weights: programs share the inner dimension, and a second kernel adds their parts."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def awq_gemm_kernel(
    x_ptr,
    qweight_ptr,
    scales_ptr,
    qzeros_ptr,
    part_ptr,
    rows,
    inner,
    words,
    group_size,
    SPLITS: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    split = tl.program_id(2)
    row = tl.program_id(0).to(tl.int64) * M + tl.arange(0, M)
    col = tl.program_id(1) * N + tl.arange(0, N)
    word = (col // 8)[None, :]
    shift = ((col % 2 * 4 + col % 8 // 2) * 4)[None, :]
    col_inside = (col < 8 * words)[None, :]
    acc = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(split * K, inner, SPLITS * K):
        k = begin + tl.arange(0, K).to(tl.int64)
        inside = (k < inner)[:, None] & col_inside
        x = tl.load(
            x_ptr + row[:, None] * inner + k[None, :], mask=(row < rows)[:, None] & (k < inner)[None, :], other=0.0
        )
        group = (k // group_size)[:, None]
        weight = tl.load(qweight_ptr + k[:, None] * words + word, mask=inside, other=0)
        zero = tl.load(qzeros_ptr + group * words + word, mask=inside, other=0)
        scale = tl.load(scales_ptr + group * (8 * words) + col[None, :], mask=inside, other=0.0).to(tl.float32)
        difference = ((weight >> shift) & 15) - ((zero >> shift) & 15)
        acc = tl.dot(x, (difference.to(tl.float32) * scale).to(x.dtype), acc)
    out_inside = (row < rows)[:, None] & col_inside
    place = (split * rows + row)[:, None] * (8 * words) + col[None, :]
    tl.store(part_ptr + place, acc.to(part_ptr.dtype.element_ty), mask=out_inside)


@triton.jit
def sum_kernel(part_ptr, out_ptr, count, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for split in range(0, SPLITS):
        total += tl.load(part_ptr + split * count + place, mask=place < count, other=0.0)
    tl.store(out_ptr + place, total.to(out_ptr.dtype.element_ty), mask=place < count)


def forward(x: torch.Tensor, qweight: torch.Tensor, scales: torch.Tensor, qzeros: torch.Tensor) -> torch.Tensor:
    rows, (inner, words) = x.shape[0], qweight.shape
    out = torch.empty((rows, 8 * words), dtype=x.dtype, device=x.device)
    splits = 4 if rows <= 64 else 1
    part = torch.empty((splits, rows, 8 * words), dtype=torch.float32, device=x.device) if splits > 1 else out
    block_m = 16 if rows <= 16 else 64
    grid = (triton.cdiv(rows, block_m), triton.cdiv(8 * words, 64), splits)
    awq_gemm_kernel[grid](
        x,
        qweight,
        scales,
        qzeros,
        part,
        rows,
        inner,
        words,
        inner // scales.shape[0],
        SPLITS=splits,
        M=block_m,
        N=64,
        K=32,
    )
    if splits > 1:
        sum_kernel[(triton.cdiv(out.numel(), 1024),)](part, out, out.numel(), SPLITS=splits, BLOCK=1024)
    return out
