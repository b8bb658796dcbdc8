"""Turns positions that a token attends to into slots of the paged cache, and counts those beyond the table as well."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def global_index_kernel(
    request_ptr, table_ptr, local_ptr, slots_ptr, valid_ptr, width, picked, block_size, BLOCK: tl.constexpr
):
    token = tl.program_id(0).to(tl.int64)
    row = table_ptr + tl.load(request_ptr + token).to(tl.int64) * width
    valid = tl.zeros([BLOCK], tl.int32)
    for first in range(0, picked, BLOCK):
        place = first + tl.arange(0, BLOCK)
        inside = place < picked
        position = tl.load(local_ptr + token * picked + place, mask=inside, other=-1)
        is_valid = (position >= 0) & (position // block_size < width)
        block = tl.load(row + position // block_size, mask=is_valid, other=0)
        slot = tl.where(is_valid, block * block_size + position % block_size, -1)
        tl.store(slots_ptr + token * picked + place, slot, mask=inside)
        valid += (position >= 0).to(tl.int32)
    tl.store(valid_ptr + token, tl.sum(valid, axis=0))


def forward(
    request: torch.Tensor, table: torch.Tensor, local: torch.Tensor, block_size: int
) -> tuple[torch.Tensor, torch.Tensor]:
    tokens, picked = local.shape
    slots = torch.empty_like(local)
    valid = torch.empty(tokens, dtype=torch.int32, device=local.device)
    global_index_kernel[(tokens,)](request, table, local, slots, valid, table.shape[1], picked, block_size, BLOCK=256)
    return slots, valid
