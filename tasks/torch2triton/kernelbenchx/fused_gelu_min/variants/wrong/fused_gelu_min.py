"""The GELU of the least element, as if GELU never fell.

Elements are compared by whole numbers of the same order, with NaN at its end and one key for both zeros. A program
takes a share of the terms of some results; a second kernel joins the shares and keeps the first index.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def gelu(x, APPROXIMATE: tl.constexpr):
    x = x.to(tl.float32)
    if APPROXIMATE:
        return x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
    else:
        return 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))


@triton.jit
def key_of(x):
    bits = (x + 0.0).to(tl.int32, bitcast=True)
    key = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    return tl.where(x != x, -2147483648, key)


@triton.jit
def share_kernel(
    x_ptr,
    key_ptr,
    index_ptr,
    count,
    keeps,
    inner,
    share,
    APPROXIMATE: tl.constexpr,
    TERMS: tl.constexpr,
    KEPT: tl.constexpr,
):
    kept = (tl.program_id(0) * KEPT + tl.arange(0, KEPT)).to(tl.int64)
    begin = kept // inner * count * inner + kept % inner
    first = tl.program_id(1) * share
    last = tl.minimum(first + share, count)
    best = tl.full([TERMS, KEPT], 2147483647, tl.int32)
    index = first + tl.arange(0, TERMS)[:, None] + tl.zeros([TERMS, KEPT], tl.int32)
    for start in range(first, last, TERMS):
        term = start + tl.arange(0, TERMS)
        inside = (term < last)[:, None] & (kept < keeps)[None, :]
        place = term.to(tl.int64)[:, None] * inner + begin[None, :]
        x = tl.load(x_ptr + place, mask=inside, other=0)
        key = tl.where(inside, key_of(x.to(tl.float32)), 2147483647)
        index = tl.where(key < best, term[:, None], index)
        best = tl.minimum(key, best)
    least = tl.min(best, 0)
    index = tl.min(tl.where(best == least[None, :], index, 2147483647), 0)
    place = tl.program_id(1) * keeps + kept
    tl.store(key_ptr + place, least, mask=kept < keeps)
    tl.store(index_ptr + place, index, mask=kept < keeps)


@triton.jit
def join_kernel(
    key_ptr,
    index_ptr,
    x_ptr,
    values_ptr,
    count,
    inner,
    keeps,
    shares,
    APPROXIMATE: tl.constexpr,
    SHARES: tl.constexpr,
    KEPT: tl.constexpr,
):
    one = tl.arange(0, SHARES)
    kept = tl.program_id(0) * KEPT + tl.arange(0, KEPT)
    inside = (one < shares)[:, None] & (kept < keeps)[None, :]
    place = one[:, None].to(tl.int64) * keeps + kept[None, :]
    keys = tl.load(key_ptr + place, mask=inside, other=2147483647)
    found = tl.load(index_ptr + place, mask=inside, other=2147483647)
    index = tl.min(tl.where(keys == tl.min(keys, 0)[None, :], found, 2147483647), 0).to(tl.int64)
    place = (kept // inner * count + index) * inner + kept % inner
    value = gelu(tl.load(x_ptr + place, mask=kept < keeps), APPROXIMATE)
    tl.store(values_ptr + kept, value.to(values_ptr.dtype.element_ty), mask=kept < keeps)


def forward(x: torch.Tensor, dim: int, approximate: int) -> torch.Tensor:
    x = x.contiguous()
    batch, rows, cols = x.shape
    count, inner = (rows, cols) if dim == 1 else (cols, 1)
    keeps = x.numel() // count
    kept = (batch, 1, cols) if dim == 1 else (batch, rows, 1)
    values = torch.empty(kept, dtype=x.dtype, device=x.device)
    KEPT = min(triton.next_power_of_2(keeps), 64 if inner > 1 else max(1, 2048 // triton.next_power_of_2(count)))
    TERMS = min(triton.next_power_of_2(count), 2048 // KEPT)
    programs, blocks = triton.cdiv(keeps, KEPT), triton.cdiv(count, TERMS)
    share = triton.cdiv(blocks, min(blocks, triton.cdiv(1024, programs))) * TERMS
    shares = triton.cdiv(count, share)
    keys, found = torch.empty((2, shares, keeps), dtype=torch.int32, device=x.device)
    form, given = bool(approximate), (x, keys, found, count, keeps, inner, share)
    share_kernel[(programs, shares)](*given, APPROXIMATE=form, TERMS=TERMS, KEPT=KEPT)
    SHARES = triton.next_power_of_2(shares)
    KEPT = max(1, 2048 // SHARES)
    given = (keys, found, x, values, count, inner, keeps, shares)
    join_kernel[(triton.cdiv(keeps, KEPT),)](*given, APPROXIMATE=form, SHARES=SHARES, KEPT=KEPT)
    return values
