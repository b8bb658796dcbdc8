"""Terms of the sum up to 8 under a mask, then an asymptotic series for the rest, compiled for its order."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def polygamma(x, N: tl.constexpr):
    factorial = 1.0
    for k in tl.static_range(1, N + 1):
        factorial *= k
    terms = 0.0 * x
    for _ in tl.static_range(8):
        terms += tl.where(x < 8.0, power(1.0 / x, N + 1), 0.0)
        x = tl.where(x < 8.0, x + 1.0, x)
    y = factorial * terms + rest(x, factorial, N)
    return y if N % 2 else -y


@triton.jit
def power(x, N: tl.constexpr):
    y = x
    for _ in tl.static_range(N - 1):
        y *= x
    return y


@triton.jit
def rest(x, factorial, N: tl.constexpr):
    r = 1.0 / x
    v = r * r
    third = (N + 2.0) * (N + 3.0) / 720.0
    fifth = (N + 4.0) * (N + 5.0) / 42.0
    seventh = (N + 6.0) * (N + 7.0) / 40.0
    series = 0.5 * r + v * (N + 1.0) * (0.08333333333 - v * third * (1.0 - v * fifth * (1.0 - v * seventh)))
    return series - tl.log(x) if N == 0 else factorial * power(r, N) * (1.0 / N + series)


@triton.jit
def polygamma_kernel(x_ptr, y_ptr, count, N: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside, other=1.0)
    tl.store(y_ptr + offsets, polygamma(x, N), mask=inside)


def forward(x: torch.Tensor, n: int) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = (triton.cdiv(y.numel(), 1024),)
    polygamma_kernel[grid](x, y, y.numel(), N=n, BLOCK=1024)
    return y
