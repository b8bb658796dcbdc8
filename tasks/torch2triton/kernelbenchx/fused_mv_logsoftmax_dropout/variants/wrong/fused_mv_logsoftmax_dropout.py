"""One kernel for the scores and one that takes the softmax of each block of 1024 rows by itself."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def scores_kernel(a_ptr, v_ptr, scores_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    start = row.to(tl.int64)[:, None] * cols
    sums = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for begin in range(0, cols, COLS):
        col = begin + tl.arange(0, COLS)
        mask = (row[:, None] < rows) & (col[None, :] < cols)
        a = tl.load(a_ptr + start + col[None, :], mask=mask, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + col, mask=col < cols, other=0.0).to(tl.float32)
        sums += a * v[None, :]
    tl.store(scores_ptr + row, tl.sum(sums, axis=1), mask=row < rows)


@triton.jit
def logs_kernel(scores_ptr, seed_ptr, out_ptr, rows, p, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    scores = tl.load(scores_ptr + row, mask=row < rows, other=-float("inf"))
    scores -= tl.max(scores, axis=0)
    logs = scores - tl.log(tl.sum(tl.exp(scores), axis=0))
    keep = tl.rand(tl.load(seed_ptr), row) >= p
    out = tl.where(keep, logs / (1 - p), 0.0)
    tl.store(out_ptr + row, out.to(out_ptr.dtype.element_ty), mask=row < rows)


def forward(a: torch.Tensor, v: torch.Tensor, seed: torch.Tensor, p: float) -> torch.Tensor:
    a, v = a.contiguous(), v.contiguous()
    rows, cols = a.shape
    scores = torch.empty((rows,), dtype=torch.float32, device=a.device)
    out = torch.empty((rows,), dtype=a.dtype, device=a.device)
    scores_kernel[(triton.cdiv(rows, 128),)](a, v, scores, rows, cols, ROWS=128, COLS=64)
    logs_kernel[(triton.cdiv(rows, 1024),)](scores, seed, out, rows, p, BLOCK=1024)
    return out
