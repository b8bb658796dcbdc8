"""Logarithmically spaced numbers, but with steps of the length that they have where the end is left out."""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl


@triton.jit
def logspace_kernel(out_ptr, start, step, log2_base, steps, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    exponent = start + index.to(tl.float32) * step
    tl.store(out_ptr + index, tl.exp2(exponent * log2_base), mask=index < steps)


def forward(start: float, end: float, steps: int, base: int) -> torch.Tensor:
    out = torch.empty(steps, dtype=torch.float32, device="cuda")
    step = (end - start) / steps
    logspace_kernel[(triton.cdiv(steps, 1024),)](out, start, step, math.log2(base), steps, BLOCK=1024)
    return out
