"""A polynomial around 2 with a product of a few factors, Stirling's series from 8 on, a reflection below 0."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

PI, LOG_PI = tl.constexpr(3.141592653589793), tl.constexpr(1.1447298858494002)


@triton.jit
def gammaln(x):
    part = x - tl.floor(x + 0.5)  # 0 at the poles
    y = above(tl.where(x < 0.0, 1.0 - x, x))
    return tl.where(x < 0.0, tl.log(1.0 / tl.abs(tl.sin(part * PI))) + LOG_PI - y, y)


@triton.jit
def above(x):
    small = x < 1.5
    factor = tl.where(small & (x < 0.5), x * (1.0 + x), tl.where(small, x, 1.0))
    z = tl.where(x < 0.5, x + 2.0, tl.where(small, x + 1.0, x))
    for _ in tl.static_range(6):
        high = (z > 2.5) & (x < 8.0)
        z = tl.where(high, z - 1.0, z)
        factor = tl.where(high, factor * z, factor)
    logarithm = tl.log(tl.where(x < 8.0, factor, x))
    d = tl.where(x < 8.0, z - 2.0, 0.0)
    p = -0.007366421845 + d * (0.002881965559 + d * (-0.001312562382 + 0.000563159199 * d))
    p = 0.4227843426 + d * (0.3224670301 + d * (-0.06735326574 + d * (0.02058123943 + d * p)))
    near = d * p + tl.where(small, -logarithm, logarithm)
    v = 1.0 / x
    series = v * (0.08333333333 + v * v * (-0.002777777778 + 0.0007936507937 * v * v))
    far = (x - 0.5) * (logarithm - 1.0) + 0.4189385332 + series
    return tl.where(x < 8.0, near, far)


@triton.jit
def gammaln_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside, other=1.0)
    tl.store(y_ptr + offsets, gammaln(x), mask=inside)


def forward(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = (triton.cdiv(y.numel(), 1024),)
    gammaln_kernel[grid](x, y, y.numel(), BLOCK=1024)
    return y
