"""A kernel for the scores, with the highest and the sum of each block; another for the whole sum and dropout."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def scores_kernel(a_ptr, v_ptr, scores_ptr, highest_ptr, total_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    start = row.to(tl.int64)[:, None] * cols
    sums = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for begin in range(0, cols, COLS):
        col = begin + tl.arange(0, COLS)
        mask = (row[:, None] < rows) & (col[None, :] < cols)
        a = tl.load(a_ptr + start + col[None, :], mask=mask, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + col, mask=col < cols, other=0.0).to(tl.float32)
        sums += a * v[None, :]
    scores = tl.sum(sums, axis=1)
    tl.store(scores_ptr + row, scores, mask=row < rows)
    scores = tl.where(row < rows, scores, -float("inf"))
    highest = tl.max(scores, axis=0)
    tl.store(highest_ptr + tl.program_id(0), highest)
    tl.store(total_ptr + tl.program_id(0), tl.sum(tl.exp(scores - highest), axis=0))


@triton.jit
def logs_kernel(
    scores_ptr, highest_ptr, total_ptr, seed_ptr, out_ptr, rows, blocks, p, PARTS: tl.constexpr, BLOCK: tl.constexpr
):
    part = tl.arange(0, PARTS)
    highest = tl.full((PARTS,), -float("inf"), tl.float32)
    for begin in range(0, blocks, PARTS):
        inside = begin + part < blocks
        highest = tl.maximum(highest, tl.load(highest_ptr + begin + part, mask=inside, other=-float("inf")))
    top = tl.max(highest, axis=0)
    total = tl.zeros((PARTS,), tl.float32)
    for begin in range(0, blocks, PARTS):
        inside = begin + part < blocks
        each = tl.load(highest_ptr + begin + part, mask=inside, other=-float("inf"))
        total += tl.load(total_ptr + begin + part, mask=inside, other=0.0) * tl.exp(each - top)
    whole = tl.log(tl.sum(total, axis=0))
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    scores = tl.load(scores_ptr + row, mask=row < rows, other=0.0)
    keep = tl.rand(tl.load(seed_ptr), row) >= p
    out = tl.where(keep, (scores - top - whole) / (1 - p), 0.0)
    tl.store(out_ptr + row, out.to(out_ptr.dtype.element_ty), mask=row < rows)


def forward(a: torch.Tensor, v: torch.Tensor, seed: torch.Tensor, p: float) -> torch.Tensor:
    a, v = a.contiguous(), v.contiguous()
    rows, cols = a.shape
    of_block = 16 if rows <= 4096 else 128
    blocks = triton.cdiv(rows, of_block)
    scores = torch.empty((rows,), dtype=torch.float32, device=a.device)
    highest = torch.empty((blocks,), dtype=torch.float32, device=a.device)
    total = torch.empty((blocks,), dtype=torch.float32, device=a.device)
    out = torch.empty((rows,), dtype=a.dtype, device=a.device)
    scores_kernel[(blocks,)](a, v, scores, highest, total, rows, cols, ROWS=of_block, COLS=64)
    logs_kernel[(triton.cdiv(rows, 1024),)](scores, highest, total, seed, out, rows, blocks, p, PARTS=1024, BLOCK=1024)
    return out
