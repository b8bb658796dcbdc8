"""Copies rows of block numbers into the batch's order: one program a request."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def gather_block_tables_kernel(slot_ptr, table_ptr, counts_ptr, batch_ptr, width, BLOCK: tl.constexpr):
    request = tl.program_id(0).to(tl.int64)
    slot = tl.load(slot_ptr + request).to(tl.int64)
    count = tl.load(counts_ptr + slot)
    for first in range(0, count, BLOCK):
        place = first + tl.arange(0, BLOCK)
        number = tl.load(table_ptr + slot * width + place, mask=place < count)
        tl.store(batch_ptr + request * width + place, number, mask=place < count)


def forward(slot: torch.Tensor, table: torch.Tensor, counts: torch.Tensor, batch_table: torch.Tensor) -> torch.Tensor:
    gather_block_tables_kernel[(len(slot),)](slot, table, counts, batch_table, table.shape[1], BLOCK=1024)
    return batch_table
