"""The standard deviation of sums: shares of the sums by many programs, and their spread by one for each matrix."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def share_kernel(x_ptr, sum_ptr, count, keeps, inner, share, TERMS: tl.constexpr, KEPT: tl.constexpr):
    kept = (tl.program_id(0) * KEPT + tl.arange(0, KEPT)).to(tl.int64)
    begin = kept // inner * count * inner + kept % inner
    first = tl.program_id(1) * share
    last = tl.minimum(first + share, count)
    total = tl.zeros([TERMS, KEPT], tl.float32)
    for start in range(first, last, TERMS):
        term = start + tl.arange(0, TERMS)
        inside = (term < last)[:, None] & (kept < keeps)[None, :]
        place = term.to(tl.int64)[:, None] * inner + begin[None, :]
        total += tl.load(x_ptr + place, mask=inside, other=0.0).to(tl.float32)
    tl.store(sum_ptr + tl.program_id(1) * keeps + kept, tl.sum(total, 0), mask=kept < keeps)


@triton.jit
def spread_kernel(sum_ptr, out_ptr, width, keeps, shares, divisor, SHARES: tl.constexpr, BLOCK: tl.constexpr):
    one = tl.arange(0, SHARES)
    seen = 0.0
    mean = 0.0
    squares = 0.0
    for start in range(0, width, BLOCK):
        place = start + tl.arange(0, BLOCK)
        inside = (one < shares)[:, None] & (place < width)[None, :]
        parts = sum_ptr + one.to(tl.int64)[:, None] * keeps + tl.program_id(0) * width + place[None, :]
        sums = tl.sum(tl.load(parts, mask=inside, other=0.0), 0)
        here = tl.minimum(width - start, BLOCK).to(tl.float32)
        center = tl.div_rn(tl.sum(sums, 0), here)  # `/` may be off by a bit, and equal sums have no deviation
        off = tl.where(place < width, sums - center, 0.0)
        step = center - mean
        squares += tl.sum(off * off, 0) + step * step * (seen * here / (seen + here))
        mean += step * tl.div_rn(here, seen + here)
        seen += here
    tl.store(out_ptr + tl.program_id(0), tl.sqrt(squares / divisor))


def forward(x: torch.Tensor, dim: int, correction: int) -> torch.Tensor:
    x = x.contiguous()
    batch, rows, cols = x.shape
    count, inner, width = (rows, cols, cols) if dim == 1 else (cols, 1, rows)
    keeps = batch * width
    KEPT = min(triton.next_power_of_2(keeps), 64 if inner > 1 else max(1, 4096 // triton.next_power_of_2(count)))
    TERMS = min(triton.next_power_of_2(count), 4096 // KEPT)
    programs, blocks = triton.cdiv(keeps, KEPT), triton.cdiv(count, TERMS)
    share = triton.cdiv(blocks, min(blocks, triton.cdiv(1024, programs))) * TERMS
    shares = triton.cdiv(count, share)
    sums = torch.empty((shares, keeps), dtype=torch.float32, device=x.device)
    share_kernel[(programs, shares)](x, sums, count, keeps, inner, share, TERMS=TERMS, KEPT=KEPT)
    out = torch.empty(batch, dtype=torch.float32, device=x.device)
    SHARES = triton.next_power_of_2(shares)
    BLOCK = min(triton.next_power_of_2(width), max(1, 4096 // SHARES))
    divisor = float(max(0, width - correction))
    spread_kernel[(batch,)](sums, out, width, keeps, shares, divisor, SHARES=SHARES, BLOCK=BLOCK)
    return out
