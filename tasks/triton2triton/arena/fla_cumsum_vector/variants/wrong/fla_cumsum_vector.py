"""Running sums within chunks of time for vectors; the last part of a chunk reaches into the next one."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def cumsum_vector_kernel(
    g_ptr,
    out_ptr,
    steps,
    heads,
    width,
    chunk,
    chunks,
    blocks,
    REVERSE: tl.constexpr,
    STEPS: tl.constexpr,
    PART: tl.constexpr,
    WIDTH: tl.constexpr,
):
    column = (tl.program_id(1) % blocks) * WIDTH + tl.arange(0, WIDTH)
    head = (tl.program_id(1) // blocks) % heads
    batch = (tl.program_id(0) // chunks).to(tl.int64)
    begin = (tl.program_id(0) % chunks) * chunk
    length = tl.minimum(chunk, steps - begin)
    corner = ((batch * steps + begin) * heads + head) * width
    place = tl.arange(0, STEPS)
    total = tl.zeros([STEPS, WIDTH], dtype=tl.float32)
    for first in range(0, length, PART):
        part = first + tl.arange(0, PART)
        inside = (begin + part < steps)[:, None] & (column < width)[None, :]
        g = tl.load(g_ptr + corner + part[:, None] * (heads * width) + column[None, :], mask=inside, other=0.0)
        ones = part[None, :] >= place[:, None] if REVERSE else part[None, :] <= place[:, None]
        total = tl.dot(ones.to(tl.float32), g.to(tl.float32), total, input_precision="ieee")
    inside = (place < length)[:, None] & (column < width)[None, :]
    tl.store(out_ptr + corner + place[:, None] * (heads * width) + column[None, :], total, mask=inside)


def forward(g: torch.Tensor, chunk: int, reverse: int) -> torch.Tensor:
    g = g.contiguous()
    batch, steps, heads, width = g.shape
    out = torch.empty(g.shape, dtype=torch.float32, device=g.device)
    chunks, blocks = triton.cdiv(steps, chunk), triton.cdiv(width, 32)
    cumsum_vector_kernel[(batch * chunks, heads * blocks)](
        g,
        out,
        steps,
        heads,
        width,
        chunk,
        chunks,
        blocks,
        REVERSE=bool(reverse),
        STEPS=max(16, triton.next_power_of_2(chunk)),
        PART=32,
        WIDTH=32,
    )
    return out
