"""Time steps and running sums of the decays of each chunk: one program a chunk and four heads."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def chunk_cumsum_kernel(
    dt_ptr,
    a_ptr,
    bias_ptr,
    starts_ptr,
    sums_ptr,
    steps_ptr,
    heads,
    chunks,
    chunk,
    low,
    high,
    HAS_BIAS: tl.constexpr,
    SOFTPLUS: tl.constexpr,
    HEADS: tl.constexpr,
    STEPS: tl.constexpr,
):
    number = tl.program_id(0)
    begin = tl.load(starts_ptr + number)
    length = tl.load(starts_ptr + number + 1) - begin
    head = tl.program_id(1) * HEADS + tl.arange(0, HEADS)
    step = tl.arange(0, STEPS)
    inside = (head < heads)[:, None] & (step < length)[None, :]
    dt_offsets = (begin.to(tl.int64) + step)[None, :] * heads + head[:, None]
    dt = tl.load(dt_ptr + dt_offsets, mask=inside, other=0.0).to(tl.float32)
    if HAS_BIAS:
        dt += tl.load(bias_ptr + head, mask=head < heads, other=0.0).to(tl.float32)[:, None]
    if SOFTPLUS:
        dt = tl.where(dt <= 20.0, tl.log(1.0 + tl.exp(tl.minimum(dt, 20.0))), dt)
    dt = tl.where(inside, tl.minimum(tl.maximum(dt, low), high), 0.0)
    a = tl.load(a_ptr + head, mask=head < heads, other=0.0)
    out = (head[:, None].to(tl.int64) * chunks + number) * chunk + step[None, :]
    written = (head < heads)[:, None] & (step < chunk)[None, :]
    tl.store(steps_ptr + out, dt, mask=written)
    tl.store(sums_ptr + out, tl.cumsum(dt * a[:, None], axis=1), mask=written)


def forward(
    dt: torch.Tensor,
    a: torch.Tensor,
    bias: torch.Tensor | None,
    starts: torch.Tensor,
    chunk: int,
    softplus: int,
    low: float,
    high: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    dt = dt.contiguous()
    heads, chunks = dt.shape[1], len(starts) - 1
    sums, steps = (torch.empty((heads, chunks, chunk), dtype=torch.float32, device=dt.device) for _ in range(2))
    chunk_cumsum_kernel[(chunks, triton.cdiv(heads, 4))](
        dt,
        a,
        bias if bias is not None else a,
        starts,
        sums,
        steps,
        heads,
        chunks,
        chunk,
        low,
        high,
        HAS_BIAS=bias is not None,
        SOFTPLUS=bool(softplus),
        HEADS=4,
        STEPS=triton.next_power_of_2(chunk),
    )
    return sums, steps
