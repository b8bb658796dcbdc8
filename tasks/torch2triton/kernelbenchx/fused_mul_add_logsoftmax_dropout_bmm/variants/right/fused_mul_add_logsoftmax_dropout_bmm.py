"""A program takes a block of rows and goes through them twice: for the sum of the softmax, then for the product."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def logsoftmax_dropout_bmm_kernel(
    a_ptr, b_ptr, c_ptr, mat_ptr, seed_ptr, out_ptr, rows, inner, cols, p,
    ROWS: tl.constexpr, INNER: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(2)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    col = tl.program_id(1) * COLS + tl.arange(0, COLS)
    start = (batch * rows + row)[:, None] * inner
    highest = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    for begin in range(0, inner, INNER):
        at = begin + tl.arange(0, INNER)
        inside = (row < rows)[:, None] & (at < inner)[None, :]
        a = tl.load(a_ptr + start + at[None, :], mask=inside, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + start + at[None, :], mask=inside, other=0.0).to(tl.float32)
        c = tl.load(c_ptr + start + at[None, :], mask=inside, other=0.0).to(tl.float32)
        sums = tl.where((at < inner)[None, :], a * b + c, -float("inf"))
        higher = tl.maximum(highest, tl.max(sums, axis=1))
        total = total * tl.exp(highest - higher) + tl.sum(tl.exp(sums - higher[:, None]), axis=1)
        highest = higher
    whole = highest + tl.log(total)
    seed = tl.load(seed_ptr)
    out = tl.zeros((ROWS, COLS), tl.float32)
    for begin in range(0, inner, INNER):
        at = begin + tl.arange(0, INNER)
        inside = (row < rows)[:, None] & (at < inner)[None, :]
        a = tl.load(a_ptr + start + at[None, :], mask=inside, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + start + at[None, :], mask=inside, other=0.0).to(tl.float32)
        c = tl.load(c_ptr + start + at[None, :], mask=inside, other=0.0).to(tl.float32)
        keep = tl.rand(seed, start + at[None, :]) >= p
        logs = tl.where(keep & inside, (a * b + c - whole[:, None]) / (1 - p), 0.0)
        mask = (at < inner)[:, None] & (col < cols)[None, :]
        mat = tl.load(mat_ptr + (batch * inner + at)[:, None] * cols + col[None, :], mask=mask, other=0.0)
        out += tl.dot(logs.to(mat.dtype), mat)
    mask = (row < rows)[:, None] & (col < cols)[None, :]
    tl.store(out_ptr + (batch * rows + row)[:, None] * cols + col[None, :], out, mask=mask)


def forward(
    a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, mat: torch.Tensor, seed: torch.Tensor, p: float
) -> torch.Tensor:
    a, b, c, mat = a.contiguous(), b.contiguous(), c.contiguous(), mat.contiguous()
    batch, rows, inner = a.shape
    cols = mat.shape[2]
    out = torch.empty((batch, rows, cols), dtype=a.dtype, device=a.device)
    logsoftmax_dropout_bmm_kernel[(triton.cdiv(rows, 32), triton.cdiv(cols, 64), batch)](
        a, b, c, mat, seed, out, rows, inner, cols, p, ROWS=32, INNER=32, COLS=64
    )
    return out
