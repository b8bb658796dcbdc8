"""Writes segments of a flat list into rows of a table, but in whole blocks."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def apply_write_kernel(table_ptr, row_ptr, column_ptr, data_ptr, starts_ptr, width, BLOCK: tl.constexpr):
    write = tl.program_id(0)
    begin = tl.load(starts_ptr + write)
    count = tl.load(starts_ptr + write + 1) - begin
    column = tl.load(column_ptr + write)
    target = table_ptr + tl.load(row_ptr + write).to(tl.int64) * width + column
    for first in range(0, count, BLOCK):
        place = first + tl.arange(0, BLOCK)
        value = tl.load(data_ptr + begin + place, mask=place < count)
        tl.store(target + place, value, mask=place < tl.minimum((count + 15) // 16 * 16, width - column))


def forward(
    table: torch.Tensor, row: torch.Tensor, column: torch.Tensor, data: torch.Tensor, starts: torch.Tensor
) -> torch.Tensor:
    apply_write_kernel[(len(row),)](table, row, column, data, starts, table.shape[1], BLOCK=1024)
    return table
