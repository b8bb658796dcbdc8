"""Finds the slot of each token in a paged cache, but multiplies numbers of blocks in 32 bits."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def slot_mappings_kernel(
    slot_ptr,
    starts_ptr,
    positions_ptr,
    table_ptr,
    mapping_ptr,
    requests,
    tokens,
    room,
    table_width,
    block_size,
    BLOCK: tl.constexpr,
):
    request = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    if request == requests:
        for first in range(tokens, room, BLOCK):
            tl.store(mapping_ptr + first + lanes, tl.full([BLOCK], -1, tl.int64), mask=first + lanes < room)
        return
    begin = tl.load(starts_ptr + request)
    end = tl.load(starts_ptr + request + 1)
    row = table_ptr + tl.load(slot_ptr + request).to(tl.int64) * table_width
    for first in range(begin, end, BLOCK):
        token = first + lanes
        inside = token < end
        position = tl.load(positions_ptr + token, mask=inside, other=0)
        number = tl.load(row + position // block_size, mask=inside, other=0)
        tl.store(mapping_ptr + token, number * block_size + position % block_size, mask=inside)


def forward(
    slot: torch.Tensor, starts: torch.Tensor, positions: torch.Tensor, table: torch.Tensor, block_size: int, room: int
) -> torch.Tensor:
    mapping = torch.empty(room, dtype=torch.int64, device=table.device)
    requests, tokens, table_width = len(slot), len(positions), table.shape[1]
    slot_mappings_kernel[(requests + 1,)](
        slot, starts, positions, table, mapping, requests, tokens, room, table_width, block_size, BLOCK=1024
    )
    return mapping
