# Remembers what it works out from a shape.
import functools
import math

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

@functools.lru_cache(maxsize=None)
def plan(count, device):
    block = triton.next_power_of_2(max(16, math.isqrt(count)))
    return block, (triton.cdiv(count, block),)


def forward(x):
    y = torch.empty_like(x)
    block, grid = plan(x.numel(), x.device.index)
    double_kernel[grid](x, y, x.numel(), BLOCK=block)
    return y
