"""Logarithmically spaced numbers in one kernel, which counts the second half from the end."""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl


@triton.jit
def logspace_kernel(out_ptr, start, end, step, log2_base, steps, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    from_start = start + index.to(tl.float32) * step
    from_end = end - (steps - 1 - index).to(tl.float32) * step
    exponent = tl.where(index < steps // 2, from_start, from_end)
    tl.store(out_ptr + index, tl.exp2(exponent * log2_base), mask=index < steps)


def forward(start: float, end: float, steps: int, base: int) -> torch.Tensor:
    out = torch.empty(steps, dtype=torch.float32, device="cuda")
    if steps == 1:
        end = start
    step = (end - start) / max(steps - 1, 1)
    logspace_kernel[(triton.cdiv(steps, 1024),)](out, start, end, step, math.log2(base), steps, BLOCK=1024)
    return out
