"""Repeated rows where a condition holds: what is not chosen is not read, and what is repeated has steps of 0."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def expand_where_kernel(
    x_ptr, cond_ptr, other_ptr, out_ptr, rows, cols, x_b, cond_b, cond_r, cond_c, other_b, other_r, BLOCK: tl.constexpr
):
    b, r = tl.program_id(0).to(tl.int64) // rows, tl.program_id(0).to(tl.int64) % rows
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = c < cols
    cond = tl.load(cond_ptr + b * cond_b + r * cond_r + c * cond_c, mask=inside, other=0) != 0
    x = tl.load(x_ptr + b * x_b + c, mask=inside & cond)
    other = tl.load(other_ptr + b * other_b + r * other_r + c, mask=inside & (cond == 0))
    tl.store(out_ptr + (b * rows + r) * cols + c, tl.where(cond, x, other), mask=inside)


def forward(x: torch.Tensor, rows: int, cond: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    batch, cols = x.shape[0], x.shape[2]
    out = torch.empty((batch, rows, cols), dtype=x.dtype, device=x.device)
    cond, other = cond.expand(batch, rows, cols), other.expand(batch, rows, cols)
    block = min(1024, triton.next_power_of_2(cols))
    grid = (batch * rows, triton.cdiv(cols, block))
    steps = (x.stride(0), *cond.stride(), *other.stride()[:2])
    expand_where_kernel[grid](x, cond, other, out, rows, cols, *steps, BLOCK=block)
    return out
