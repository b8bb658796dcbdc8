"""Slices of a tensor by their numbers: a tile is some runs of neighbours, each from the slice that its number names."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def index_select_kernel(
    x_ptr, index_ptr, out_ptr, runs, length, picked, inner, RUNS: tl.constexpr, INNER: tl.constexpr
):
    run = tl.program_id(0).to(tl.int64) * RUNS + tl.arange(0, RUNS)
    place = tl.program_id(1) * INNER + tl.arange(0, INNER)
    number = tl.load(index_ptr + run % picked, mask=run < runs, other=0).to(tl.int64)
    source = (run // picked * length + number) * inner
    inside = (run < runs)[:, None] & (place < inner)[None, :]
    x = tl.load(x_ptr + source[:, None] + place[None, :], mask=inside)
    tl.store(out_ptr + (run * inner)[:, None] + place[None, :], x, mask=inside)


def forward(x: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    before, length, behind = x.shape[:dim], x.shape[dim], x.shape[dim + 1 :]
    out = torch.empty((*before, len(index), *behind), dtype=x.dtype, device=x.device)
    inner = behind.numel()
    runs = out.numel() // inner
    block = min(1024, triton.next_power_of_2(inner))
    grid = (triton.cdiv(runs, 1024 // block), triton.cdiv(inner, block))
    index_select_kernel[grid](x, index, out, runs, length, len(index), inner, RUNS=1024 // block, INNER=block)
    return out
