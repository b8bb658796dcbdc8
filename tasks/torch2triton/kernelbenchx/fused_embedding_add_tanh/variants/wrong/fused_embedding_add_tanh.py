"""Rows of a table, plus another tensor, through a tanh, whose short form has no digits left near 0."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def embedding_add_tanh_kernel(
    index_ptr, table_ptr, other_ptr, out_ptr, length, width, other_batch, BLOCK: tl.constexpr
):
    token = tl.program_id(0).to(tl.int64)
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = col < width
    number = tl.load(index_ptr + token).to(tl.int64)
    x = tl.load(table_ptr + number * width + col, mask=inside).to(tl.float32)
    other = token // length * other_batch + token % length * width
    x += tl.load(other_ptr + other + col, mask=inside).to(tl.float32)
    tl.store(
        out_ptr + token * width + col, (1.0 - 2.0 / (tl.exp(2.0 * x) + 1.0)).to(out_ptr.dtype.element_ty), mask=inside
    )


def forward(index: torch.Tensor, table: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    batch, length, width = *index.shape, table.shape[1]
    out = torch.empty((batch, length, width), dtype=table.dtype, device=table.device)
    block = min(1024, triton.next_power_of_2(width))
    grid = (batch * length, triton.cdiv(width, block))
    other_batch = 0 if other.shape[0] == 1 else length * width
    embedding_add_tanh_kernel[grid](index, table, other, out, length, width, other_batch, BLOCK=block)
    return out
