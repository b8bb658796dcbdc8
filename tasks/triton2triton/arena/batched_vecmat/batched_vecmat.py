"""Multiplies each vector with a matrix of its own: one program 4 vectors and 16 rows of each of their matrices."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def batched_vecmat(vecs_ptr, mats_ptr, out_ptr, batch, rows, inner, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    vec = tl.program_id(0).to(tl.int64) * M + tl.arange(0, M)
    row = tl.program_id(1).to(tl.int64) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), dtype=tl.float32)
    mine = (vec[:, None] < batch) & (row[None, :] < rows)
    start = (vec[:, None] * rows + row[None, :]) * inner
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K)
        v_inside = (vec[:, None] < batch) & (k[None, :] < inner)
        v = tl.load(vecs_ptr + vec[:, None] * inner + k[None, :], mask=v_inside, other=0.0).to(tl.float32)
        inside = mine[:, :, None] & (k[None, None, :] < inner)
        mats = tl.load(mats_ptr + start[:, :, None] + k[None, None, :], mask=inside, other=0.0).to(tl.float32)
        acc += tl.sum(v[:, None, :] * mats, axis=2)
    tl.store(out_ptr + vec[:, None] * rows + row[None, :], acc.to(out_ptr.dtype.element_ty), mask=mine)


def forward(vecs: torch.Tensor, mats: torch.Tensor) -> torch.Tensor:
    batch, rows, inner = mats.shape
    out = torch.empty((batch, rows), dtype=vecs.dtype, device=vecs.device)
    grid = (triton.cdiv(batch, 4), triton.cdiv(rows, 16))
    batched_vecmat[grid](vecs, mats, out, batch, rows, inner, M=4, N=16, K=64)
    return out
