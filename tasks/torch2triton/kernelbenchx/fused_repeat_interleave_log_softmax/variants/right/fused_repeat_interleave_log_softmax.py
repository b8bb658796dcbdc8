"""Each place of the output searches for its slice; the sum of a line is taken from what is not repeated."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def ends_kernel(repeats_ptr, ends_ptr, slices, BLOCK: tl.constexpr):
    done = tl.full((), 0, tl.int64)
    for begin in range(0, slices, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        repeats = tl.load(repeats_ptr + at, mask=at < slices, other=0)
        tl.store(ends_ptr + at, done + tl.cumsum(repeats, axis=0), mask=at < slices)
        done += tl.sum(repeats, axis=0)


@triton.jit
def sources_kernel(ends_ptr, sources_ptr, slices, total, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    low = tl.zeros((BLOCK,), tl.int32)
    high = low + slices
    for _ in range(17):  # halves 65536 slices until none is left
        middle = (low + high) // 2
        is_before = tl.load(ends_ptr + middle, mask=low < high, other=0) <= place
        low = tl.where((low < high) & is_before, middle + 1, low)
        high = tl.where(is_before, high, middle)
    tl.store(sources_ptr + place, low, mask=place < total)


@triton.jit
def sums_kernel(
    x_ptr, repeats_ptr, sums_ptr, lines, slices, line_step, slice_step, LINES: tl.constexpr, SLICES: tl.constexpr
):
    line = tl.program_id(0) * LINES + tl.arange(0, LINES)
    highest = tl.full((LINES,), -float("inf"), tl.float32)
    total = tl.zeros((LINES,), tl.float32)
    for begin in range(0, slices, SLICES):
        at = begin + tl.arange(0, SLICES)
        repeats = tl.load(repeats_ptr + at, mask=at < slices, other=0)
        inside = (line < lines)[:, None] & (repeats > 0)[None, :]
        place = line[:, None] * line_step + at[None, :] * slice_step
        x = tl.load(x_ptr + place, mask=inside, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(highest, tl.max(x, axis=1))
        shift = tl.where(higher == -float("inf"), 0.0, higher)  # -inf - -inf would be NaN
        counts = repeats.to(tl.float32)[None, :] * tl.exp(x - shift[:, None])
        total = total * tl.exp(highest - shift) + tl.sum(counts, axis=1)
        highest = higher
    tl.store(sums_ptr + line, highest, mask=line < lines)
    tl.store(sums_ptr + lines + line, tl.log(total), mask=line < lines)


@triton.jit
def output_kernel(
    x_ptr, sources_ptr, sums_ptr, out_ptr, lines, total, line_step, slice_step, out_line_step, out_step,
    LINES: tl.constexpr, PLACES: tl.constexpr,
):  # fmt: skip
    line = tl.program_id(0) * LINES + tl.arange(0, LINES)
    at = tl.program_id(1) * PLACES + tl.arange(0, PLACES)
    inside = (line < lines)[:, None] & (at < total)[None, :]
    source = tl.load(sources_ptr + at, mask=at < total, other=0)
    x = tl.load(x_ptr + line[:, None] * line_step + source[None, :] * slice_step, mask=inside, other=0.0)
    highest = tl.load(sums_ptr + line, mask=line < lines, other=0.0)
    logs = tl.load(sums_ptr + lines + line, mask=line < lines, other=0.0)
    out = x.to(tl.float32) - highest[:, None] - logs[:, None]
    tl.store(out_ptr + line[:, None] * out_line_step + at[None, :] * out_step, out, mask=inside)


def forward(x: torch.Tensor, repeats: torch.Tensor, dim: int, total: int) -> torch.Tensor:
    x, repeats = x.contiguous(), repeats.contiguous()
    slices, lines = x.shape[dim], x.shape[1 - dim]
    out = torch.empty((lines, total) if dim == 1 else (total, lines), dtype=x.dtype, device=x.device)
    ends = torch.empty(slices, dtype=torch.int32, device=x.device)
    sources = torch.empty(total, dtype=torch.int32, device=x.device)
    sums = torch.empty((2, lines), dtype=torch.float32, device=x.device)
    many, few = (1, 2048) if dim == 1 else (64, 32)  # of lines and slices, whichever lie side by side
    ends_kernel[(1,)](repeats, ends, slices, BLOCK=1024)
    sources_kernel[(triton.cdiv(total, 256),)](ends, sources, slices, total, BLOCK=256)
    sums_kernel[(triton.cdiv(lines, many),)](
        x, repeats, sums, lines, slices, x.stride(1 - dim), x.stride(dim), LINES=many, SLICES=few
    )
    output_kernel[(triton.cdiv(lines, many), triton.cdiv(total, few))](
        x, sources, sums, out, lines, total, x.stride(1 - dim), x.stride(dim), out.stride(1 - dim), out.stride(dim),
        LINES=many, PLACES=few,
    )  # fmt: skip
    return out
