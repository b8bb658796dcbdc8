"""The function of |x|, which has lost the sign of x."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def bessel_j1(x):
    size = tl.abs(x)
    y = tl.where(size < 8.0, near(size), far(tl.maximum(size, 8.0)))
    return y


@triton.jit
def near(x):
    u = x * x * 0.03125 - 1.0
    p = 0.01245269692 + u * (-0.002028776332 + u * (0.0002541919033 - 2.43461235e-5 * u))
    p = 0.1515164674 + u * (-0.2595948535 + u * (0.158585236 + u * (-0.05474591225 + u * p)))
    return x * (-0.05814382428 + u * (0.08105866015 + u * p))


@triton.jit
def far(x):
    v = 8.0 / x
    t = v * v
    p = 1.000000002 + t * (0.001830988281 + t * (-3.485926094e-5 + 1.974021457e-6 * t))
    q = v * (0.04687497729 + t * (-0.0001998586852 + 7.304308569e-6 * t))
    sine, cosine = tl.sin(x), tl.cos(x)  # of x less 3π/4, but for a factor of √2
    return 0.5641895835 / tl.sqrt(x) * (p * (sine - cosine) + q * (sine + cosine))


@triton.jit
def bessel_j1_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside, other=1.0)
    tl.store(y_ptr + offsets, bessel_j1(x), mask=inside)


def forward(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = (triton.cdiv(y.numel(), 1024),)
    bessel_j1_kernel[grid](x, y, y.numel(), BLOCK=1024)
    return y
