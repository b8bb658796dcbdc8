"""Scales one rank's part of an attention by its share: one program for each row and head."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def correct_kernel(
    o_ptr, lse_ptr, corrected_ptr, total_ptr, ranks, pairs, head_dim, rank,
    NATURAL: tl.constexpr, RANKS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    pair = tl.program_id(0)
    every = tl.arange(0, RANKS)
    lse = tl.load(lse_ptr + every * pairs + pair, mask=every < ranks, other=-float("inf"))
    lse = tl.where((lse != lse) | (lse == float("inf")), -float("inf"), lse)
    highest = tl.max(lse, axis=0)
    highest = tl.where(highest == -float("inf"), 0.0, highest)
    if NATURAL:
        total = highest + tl.log(tl.sum(tl.exp(lse - highest), axis=0))
    else:
        total = highest + tl.log2(tl.sum(tl.exp2(lse - highest), axis=0))
    tl.store(total_ptr + pair, total)

    exponent = tl.load(lse_ptr + rank * pairs + pair) - total
    exponent = tl.where((exponent != exponent) | (exponent == float("inf")), -float("inf"), exponent)
    factor = tl.exp(exponent) if NATURAL else tl.exp2(exponent)
    dim = tl.arange(0, BLOCK)
    place = pair.to(tl.int64) * head_dim + dim
    o = tl.load(o_ptr + place, mask=dim < head_dim, other=0.0).to(tl.float32)
    tl.store(corrected_ptr + place, (o * factor).to(corrected_ptr.dtype.element_ty), mask=dim < head_dim)


def forward(o: torch.Tensor, lse: torch.Tensor, rank: int, natural: bool) -> tuple[torch.Tensor, torch.Tensor]:
    ranks, batch, heads = lse.shape
    head_dim = o.shape[2]
    corrected = torch.empty_like(o)
    total = torch.empty((batch, heads), dtype=lse.dtype, device=lse.device)
    correct_kernel[(batch * heads,)](
        o, lse, corrected, total, ranks, batch * heads, head_dim, rank,
        NATURAL=bool(natural), RANKS=triton.next_power_of_2(ranks), BLOCK=triton.next_power_of_2(head_dim),
    )  # fmt: skip
    return corrected, total
