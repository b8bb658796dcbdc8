"""Nine terms of the sum, and the Euler-Maclaurin formula for the rest."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def zeta(s, q):
    total = 0.0 * s
    for k in tl.static_range(9):
        total += power(q + k, s)
    w = q + 9.0
    v = 1.0 / (w * w)
    tail = 3.306878307e-5 - v * (s + 5.0) * (s + 6.0) * 8.267195767e-7
    tail = 0.08333333333 - v * (s + 1.0) * (s + 2.0) * (0.001388888889 - v * (s + 3.0) * (s + 4.0) * tail)
    y = total + power(w, s) * (w / (s - 1.0) + 0.5 + s / w * tail)
    y = tl.where((q < 0.0) & (s != tl.floor(s)), float("nan"), y)
    y = tl.where((q <= 0.0) & (q == tl.floor(q)), float("inf"), y)
    return tl.where(s == 1.0, float("inf"), tl.where(s < 1.0, float("nan"), y))


@triton.jit
def power(base, s):
    size = tl.exp2(-s * tl.log2(tl.abs(base)))
    half = 0.5 * s
    return tl.where((base < 0.0) & (half != tl.floor(half)), -size, size)


@triton.jit
def zeta_kernel(s_ptr, q_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    s = tl.load(s_ptr + offsets, mask=inside, other=1.0)
    q = tl.load(q_ptr + offsets, mask=inside, other=1.0)
    tl.store(y_ptr + offsets, zeta(s, q), mask=inside)


def forward(s: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    s, q = s.contiguous(), q.contiguous()
    y = torch.empty_like(s)
    grid = (triton.cdiv(y.numel(), 1024),)
    zeta_kernel[grid](s, q, y, y.numel(), BLOCK=1024)
    return y
