"""Distances of pooled images: programs pool the difference of some cells and add up its powers, another joins them."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def part_kernel(
    a_ptr,
    b_ptr,
    part_ptr,
    cells,
    height,
    width,
    out_h,
    out_w,
    tall,
    wide,
    p,
    CELLS: tl.constexpr,
    LANES: tl.constexpr,
):
    pair = tl.program_id(0).to(tl.int64)
    cell = tl.program_id(1) * CELLS + tl.arange(0, CELLS)
    plane, row, col = cell // (out_h * out_w), cell // out_w % out_h, cell % out_w
    top, bottom = row * height // out_h, ((row + 1) * height + out_h - 1) // out_h
    left, right = col * width // out_w, ((col + 1) * width + out_w - 1) // out_w
    start = pair * (cells // (out_h * out_w)) * height * width
    total = tl.zeros((CELLS, LANES), dtype=tl.float32)
    for begin in range(0, tall * wide, LANES):
        place = begin + tl.arange(0, LANES)
        i, j = top[:, None] + (place // wide)[None, :], left[:, None] + (place % wide)[None, :]
        inside = (cell < cells)[:, None] & (i < bottom[:, None]) & (j < right[:, None])
        at = start + (plane[:, None] * height + i) * width + j
        a = tl.load(a_ptr + at, mask=inside, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + at, mask=inside, other=0.0).to(tl.float32)
        total += a - b
    size = tl.abs(tl.sum(total, 1)) / ((bottom - top) * (right - left)).to(tl.float32)
    power = tl.exp2(p * tl.log2(tl.where(size > 0, size, 1.0)))
    part = tl.sum(tl.where(size > 0, power, 0.0), 0)
    tl.store(part_ptr + pair * tl.num_programs(1) + tl.program_id(1), part)


@triton.jit
def join_kernel(part_ptr, out_ptr, parts, p, eps, BLOCK: tl.constexpr):
    pair = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, parts, BLOCK):
        which = begin + tl.arange(0, BLOCK)
        total += tl.load(part_ptr + pair * parts + which, mask=which < parts, other=0.0)
    power = tl.sum(total, 0)
    out = tl.where(power > 0, tl.exp2(tl.log2(tl.where(power > 0, power, 1.0)) / p), 0.0)
    tl.store(out_ptr + pair, (out + eps).to(out_ptr.dtype.element_ty))


def largest(size: int, cells: int) -> int:
    """The length of the longest cell along one side; one that does not begin at a whole number is longer by 1."""
    return min(size, triton.cdiv(size, cells) + (size % cells != 0))


def forward(a: torch.Tensor, b: torch.Tensor, out_h: int, out_w: int, p: float, eps: float) -> torch.Tensor:
    a, b = a.contiguous(), b.contiguous()
    batch, channels, height, width = a.shape
    tall, wide = largest(height, out_h), largest(width, out_w)
    lanes = min(128, triton.next_power_of_2(tall * wide))
    cells, block = channels * out_h * out_w, 1024 // lanes
    parts = triton.cdiv(cells, block)
    part = torch.empty((batch, parts), dtype=torch.float32, device=a.device)
    out = torch.empty((batch,), dtype=a.dtype, device=a.device)
    part_kernel[(batch, parts)](
        a,
        b,
        part,
        cells,
        height,
        width,
        out_h,
        out_w,
        tall,
        wide,
        p,
        CELLS=block,
        LANES=lanes,
    )
    join_kernel[(batch,)](part, out, parts, p, eps, BLOCK=512)
    return out
