"""One polynomial from -3 to 1, and outside of it the leading form with polynomials for its amplitudes."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def airy_ai(x):
    size = tl.maximum(tl.abs(x), 1.0)
    root = tl.sqrt_rn(size)
    zeta = 0.6666666667 * size * root
    return tl.where(x > 1.0, tail(zeta, root), tl.where(x < -3.0, waves(zeta, root), middle(x)))


@triton.jit
def tail(zeta, root):
    v = 1.0 / zeta
    p = 0.007538503664 + v * (-0.003638779307 + v * (0.001026661619 - 0.0001271408264 * v))
    p = 0.01038084507 + v * (-0.009762528704 + v * (0.01072426887 + v * (-0.01040631081 + v * p)))
    return tl.exp(-zeta) / tl.sqrt(root) * (0.2820947629 + v * (-0.01958599118 + v * p))


@triton.jit
def waves(zeta, root):
    v = 3.0 / zeta
    t = v * v
    p = 0.9999999645 + t * (-0.004123524314 + t * (0.0006827627698 + t * (-0.0002591073573 + 7.465664832e-5 * t)))
    q = 0.02314810625 + t * (-0.001404280428 + t * (0.000442683246 + t * (-0.0002221645739 + 7.156081632e-5 * t)))
    sine, cosine = tl.sin(zeta), tl.cos(zeta)  # of the angle less π/4, but for a factor of √2
    return 0.3989422804 / tl.sqrt(root) * (p * (cosine + sine) + v * q * (sine - cosine))


@triton.jit
def middle(x):
    u = 0.5 * x + 0.5
    p = 0.01583525021 + u * (-0.006930542735 + u * (-0.0006970026567 + 0.0008409513656 * u))
    p = 0.1484650679 + u * (0.1201332224 + u * (-0.09326116902 + u * (0.0096833216 + u * p)))
    p = -1.071119433 + u * (0.7276290463 + u * (0.3434555088 + u * (-0.5739815 + u * p)))
    return 0.5355608595 + u * (-0.02032113879 + u * p)


@triton.jit
def airy_ai_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside, other=1.0)
    tl.store(y_ptr + offsets, airy_ai(x), mask=inside)


def forward(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = (triton.cdiv(y.numel(), 1024),)
    airy_ai_kernel[grid](x, y, y.numel(), BLOCK=1024)
    return y
