"""The standard deviation of GELU without the half of x that the error function is added to.

The tensor is seen as [repeats, outers, run, inner] and reduced over repeats and runs: dimensions side by side that
share their fate are one. A program takes a share of the terms of some results; a second kernel joins the shares.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def share_kernel(
    x_ptr,
    mean_ptr,
    square_ptr,
    count,
    keeps,
    outers,
    run,
    inner,
    share,
    APPROXIMATE: tl.constexpr,
    APART: tl.constexpr,
    TERMS: tl.constexpr,
    KEPT: tl.constexpr,
):
    kept = (tl.program_id(0) * KEPT + tl.arange(0, KEPT)).to(tl.int64)
    begin = kept // inner * run * inner + kept % inner
    first = tl.program_id(1) * share
    last = tl.minimum(first + share, count)
    seen = 0.0
    mean = tl.zeros([KEPT], tl.float32)
    squares = tl.zeros([KEPT], tl.float32)
    for start in range(first, last, TERMS):
        term = (start + tl.arange(0, TERMS)).to(tl.int64)
        inside = (term < last)[:, None] & (kept < keeps)[None, :]
        if APART:
            term = term // run * outers * run + term % run
        place = term[:, None] * inner + begin[None, :]
        x = tl.load(x_ptr + place, mask=inside, other=0.0).to(tl.float32)
        if APPROXIMATE:
            x = x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
        else:
            x = 0.5 * x * tl.erf(x * 0.7071067811865476)
        here = tl.minimum(last - start, TERMS).to(tl.float32)
        center = tl.div_rn(tl.sum(x, 0), here)  # `/` may be off by a bit, and equal terms have no deviation
        off = tl.where(inside, x - center[None, :], 0.0)
        step = center - mean
        squares += tl.sum(off * off, 0) + step * step * (seen * here / (seen + here))
        mean += step * tl.div_rn(here, seen + here)
        seen += here
    place = tl.program_id(1) * keeps + kept
    tl.store(mean_ptr + place, mean, mask=kept < keeps)
    tl.store(square_ptr + place, squares, mask=kept < keeps)


@triton.jit
def join_kernel(
    mean_ptr, square_ptr, out_ptr, keeps, shares, share, count, divisor, SHARES: tl.constexpr, KEPT: tl.constexpr
):
    one = tl.arange(0, SHARES)
    kept = tl.program_id(0) * KEPT + tl.arange(0, KEPT)
    inside = (one < shares)[:, None] & (kept < keeps)[None, :]
    place = one[:, None].to(tl.int64) * keeps + kept[None, :]
    means = tl.load(mean_ptr + place, mask=inside, other=0.0)
    squares = tl.load(square_ptr + place, mask=inside, other=0.0)
    terms = tl.where(inside, tl.minimum(count - one * share, share).to(tl.float32)[:, None], 0.0)
    off = means - tl.div_rn(tl.sum(means * terms, 0), count * 1.0)[None, :]
    total = tl.sum(squares, 0) + tl.sum(tl.where(inside, off * off * terms, 0.0), 0)
    tl.store(out_ptr + kept, tl.sqrt(total / divisor), mask=kept < keeps)


def layout(shape: torch.Size, reduced: tuple[int, int, int]) -> list[int]:
    """Return how many repeats, outers, runs and inner neighbours there are."""
    sizes, place = [1, 1, 1, 1], 0
    for extent, is_reduced in zip(shape, reduced, strict=True):
        place += (place % 2 == 0) != bool(is_reduced)
        sizes[place] *= extent
    return sizes if place > 1 else [1, 1, *sizes[:2]]


def forward(x: torch.Tensor, correction: int, approximate: int, dim0: int, dim1: int, dim2: int) -> torch.Tensor:
    x = x.contiguous()
    repeats, outers, run, inner = layout(x.shape, (dim0, dim1, dim2))
    count, keeps = repeats * run, outers * inner
    shape = [1 if reduced else extent for extent, reduced in zip(x.shape, (dim0, dim1, dim2), strict=True)]
    out = torch.empty(shape, dtype=torch.float32, device=x.device)
    KEPT = min(triton.next_power_of_2(keeps), 64 if inner > 1 else max(1, 4096 // triton.next_power_of_2(count)))
    TERMS = min(triton.next_power_of_2(count), 4096 // KEPT)
    programs, blocks = triton.cdiv(keeps, KEPT), triton.cdiv(count, TERMS)
    share = triton.cdiv(blocks, min(blocks, triton.cdiv(1024, programs))) * TERMS
    shares = triton.cdiv(count, share)
    means, squares = torch.empty((2, shares, keeps), dtype=torch.float32, device=x.device)
    given = (x, means, squares, count, keeps, outers, run, inner, share)
    form = {"APPROXIMATE": bool(approximate), "APART": repeats > 1, "TERMS": TERMS, "KEPT": KEPT}
    share_kernel[(programs, shares)](*given, **form)
    SHARES = triton.next_power_of_2(shares)
    KEPT = max(1, 2048 // SHARES)
    divisor = float(max(0, count - correction))
    grid = (triton.cdiv(keeps, KEPT),)
    join_kernel[grid](means, squares, out, keeps, shares, share, count, divisor, SHARES=SHARES, KEPT=KEPT)
    return out
