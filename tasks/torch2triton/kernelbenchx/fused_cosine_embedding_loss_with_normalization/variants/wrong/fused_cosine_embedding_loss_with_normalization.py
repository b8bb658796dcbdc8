"""One formula for both kinds of pairs: `1 - s * target`, or the margin less the cosine where that is more."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def loss_kernel(x1_ptr, x2_ptr, target_ptr, loss_ptr, rows, cols, margin, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    product = tl.zeros((ROWS,), tl.float32)
    squares1 = tl.zeros((ROWS,), tl.float32)
    squares2 = tl.zeros((ROWS,), tl.float32)
    for begin in range(0, cols, COLS):
        col = begin + tl.arange(0, COLS)
        inside = (row < rows)[:, None] & (col < cols)[None, :]
        at = row[:, None] * cols + col[None, :]
        x1 = tl.load(x1_ptr + at, mask=inside, other=0.0).to(tl.float32)
        x2 = tl.load(x2_ptr + at, mask=inside, other=0.0).to(tl.float32)
        product += tl.sum(x1 * x2, axis=1)
        squares1 += tl.sum(x1 * x1, axis=1)
        squares2 += tl.sum(x2 * x2, axis=1)
    cosine = product / tl.maximum(tl.sqrt(squares1), 1e-12) / tl.maximum(tl.sqrt(squares2), 1e-12)
    target = tl.load(target_ptr + row, mask=row < rows, other=1)
    loss = tl.maximum(1 - cosine * target, 0.0)
    loss = tl.where(margin > 0, tl.maximum(loss, margin - cosine), loss)
    tl.store(loss_ptr + row, loss, mask=row < rows)


@triton.jit
def sum_kernel(x_ptr, sums_ptr, count, divisor, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for begin in range(tl.program_id(0) * BLOCK, count, tl.num_programs(0) * BLOCK):
        at = begin + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + at, mask=at < count, other=0.0)
    tl.store(sums_ptr + tl.program_id(0), tl.sum(total, axis=0) / divisor)


def forward(x1: torch.Tensor, x2: torch.Tensor, target: torch.Tensor, margin: float, mean: int) -> torch.Tensor:
    x1, x2 = x1.contiguous(), x2.contiguous()
    rows, cols = x1.shape
    losses = torch.empty(rows, dtype=torch.float32, device=x1.device)
    block = min(512, triton.next_power_of_2(cols))
    many = 2048 // block
    loss_kernel[(triton.cdiv(rows, many),)](x1, x2, target, losses, rows, cols, margin, ROWS=many, COLS=block)
    if not mean:
        return losses
    parts = min(64, triton.cdiv(rows, 1024))
    sums = torch.empty(parts, dtype=torch.float32, device=x1.device)
    loss = torch.empty(1, dtype=torch.float32, device=x1.device)
    sum_kernel[(parts,)](losses, sums, rows, 1.0, BLOCK=1024)
    sum_kernel[(1,)](sums, loss, parts, float(rows), BLOCK=64)
    return loss
