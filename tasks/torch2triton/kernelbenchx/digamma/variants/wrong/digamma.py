"""The series from 1 on in place of 8, off by about 2e-3 there."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

PI = tl.constexpr(3.141592653589793)


@triton.jit
def digamma(x):
    part = x - tl.floor(x + 0.5)
    angle = part * PI
    y = above(tl.where(x < 0.0, 1.0 - x, x))
    reflected = tl.where(part == 0.0, float("nan"), y - tl.cos(angle) / tl.sin(angle) * PI)
    return tl.where(x < 0.0, reflected, y)


@triton.jit
def above(x):
    steps = 0.0 * tl.minimum(x, 1.0)
    for _ in tl.static_range(1):
        steps += tl.where(x < 8.0, 1.0 / x, 0.0)
        x = tl.where(x < 8.0, x + 1.0, x)
    v = 1.0 / (x * x)
    series = v * (0.08333333333 - v * (0.008333333333 - v * (0.003968253968 - v * 0.004166666667)))
    return tl.log(x) - 0.5 / x - series - steps


@triton.jit
def digamma_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside, other=1.0)
    tl.store(y_ptr + offsets, digamma(x), mask=inside)


def forward(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = (triton.cdiv(y.numel(), 1024),)
    digamma_kernel[grid](x, y, y.numel(), BLOCK=1024)
    return y
