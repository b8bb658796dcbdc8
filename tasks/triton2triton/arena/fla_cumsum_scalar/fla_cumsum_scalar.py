"""Running sums within chunks of time: one program takes a chunk of eight heads."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def cumsum_scalar_kernel(
    g_ptr, out_ptr, steps, heads, chunk, chunks, REVERSE: tl.constexpr, STEPS: tl.constexpr, HEADS: tl.constexpr
):
    batch = tl.program_id(0) // chunks
    place = tl.arange(0, STEPS)
    step = (tl.program_id(0) % chunks) * chunk + place
    head = tl.program_id(1) * HEADS + tl.arange(0, HEADS)
    inside = ((place < chunk) & (step < steps))[:, None] & (head < heads)[None, :]
    offsets = (batch.to(tl.int64) * steps + step)[:, None] * heads + head[None, :]
    g = tl.load(g_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + offsets, tl.cumsum(g, axis=0, reverse=REVERSE), mask=inside)


def forward(g: torch.Tensor, chunk: int, reverse: int) -> torch.Tensor:
    g = g.contiguous()
    batch, steps, heads = g.shape
    out = torch.empty(g.shape, dtype=torch.float32, device=g.device)
    chunks = triton.cdiv(steps, chunk)
    block = triton.next_power_of_2(chunk)
    grid = (batch * chunks, triton.cdiv(heads, 8))
    cumsum_scalar_kernel[grid](g, out, steps, heads, chunk, chunks, REVERSE=bool(reverse), STEPS=block, HEADS=8)
    return out
