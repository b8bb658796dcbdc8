"""Copies the id behind each token of the prompts, but looks up how much came before by request, not by its row."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def next_ids_kernel(starts_ptr, slot_ptr, computed_ptr, all_ids_ptr, next_ids_ptr, length, BLOCK: tl.constexpr):
    request = tl.program_id(0)
    begin = tl.load(starts_ptr + request)
    end = tl.load(starts_ptr + request + 1)
    slot = tl.load(slot_ptr + request).to(tl.int64)
    computed = tl.load(computed_ptr + request)
    source = all_ids_ptr + slot * length + computed + 1
    for first in range(0, end - begin, BLOCK):
        place = first + tl.arange(0, BLOCK)
        inside = place < end - begin
        ids = tl.load(source + place, mask=inside & (computed + 1 + place < length), other=0)
        tl.store(next_ids_ptr + begin + place, ids.to(tl.int64), mask=inside)


def forward(
    starts: torch.Tensor, slot: torch.Tensor, computed: torch.Tensor, all_ids: torch.Tensor, tokens: int
) -> torch.Tensor:
    next_ids = torch.empty(tokens, dtype=torch.int64, device=all_ids.device)
    next_ids_kernel[(len(slot),)](starts, slot, computed, all_ids, next_ids, all_ids.shape[1], BLOCK=1024)
    return next_ids
