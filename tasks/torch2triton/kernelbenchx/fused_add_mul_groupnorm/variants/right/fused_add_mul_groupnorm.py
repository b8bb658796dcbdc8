"""Several programs share a group: the first kernel takes the moments of parts, the second merges and normalises."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def product_of(x_ptr, y_ptr, start, at, inside, channel, SHARED: tl.constexpr):
    x = tl.load(x_ptr + start + at, mask=inside, other=0.0).to(tl.float32)
    if SHARED:
        y = tl.load(y_ptr + channel, mask=inside, other=0.0).to(tl.float32)
    else:
        y = tl.load(y_ptr + start + at, mask=inside, other=0.0).to(tl.float32)
    return (x + y) * y


@triton.jit
def moments_kernel(
    x_ptr, y_ptr, moments_ptr, size, groups, channels, pixels, SHARED: tl.constexpr, BLOCK: tl.constexpr
):
    group, part, parts = tl.program_id(0), tl.program_id(1), tl.num_programs(1)
    first = group % groups * channels
    seen, mean, squares = 0.0, 0.0, 0.0
    for begin in range(part * BLOCK, size, parts * BLOCK):
        at = begin + tl.arange(0, BLOCK)
        inside = at < size
        m = product_of(x_ptr, y_ptr, group * size, at, inside, first + at // pixels, SHARED)
        here = tl.minimum(size - begin, BLOCK).to(tl.float32)
        mean_here = tl.sum(m, axis=0) / here
        away = tl.where(inside, m - mean_here, 0.0)
        step = mean_here - mean
        squares += tl.sum(away * away, axis=0) + step * step * (seen * here / (seen + here))
        mean += step * (here / (seen + here))
        seen += here
    at = (group * parts + part) * 3
    tl.store(moments_ptr + at, seen)
    tl.store(moments_ptr + at + 1, mean)
    tl.store(moments_ptr + at + 2, squares)


@triton.jit
def normalise_kernel(
    x_ptr, y_ptr, moments_ptr, weight_ptr, bias_ptr, out_ptr, size, groups, channels, pixels, parts, eps,
    SHARED: tl.constexpr, SCALED: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    group = tl.program_id(0)
    part = tl.arange(0, PARTS)
    moments = moments_ptr + (group * parts + part) * 3
    seen = tl.load(moments, mask=part < parts, other=0.0)
    means = tl.load(moments + 1, mask=part < parts, other=0.0)
    squares = tl.load(moments + 2, mask=part < parts, other=0.0)
    mean = tl.sum(seen * means, axis=0) / size
    away = tl.where(part < parts, means - mean, 0.0)
    variance = tl.sum(squares + seen * away * away, axis=0) / size
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    channel = group % groups * channels + at // pixels
    m = product_of(x_ptr, y_ptr, group * size, at, inside, channel, SHARED)
    out = (m - mean) / tl.sqrt(variance + eps)
    if SCALED:
        out *= tl.load(weight_ptr + channel, mask=inside, other=0.0)
    out += tl.load(bias_ptr + channel, mask=inside, other=0.0)
    tl.store(out_ptr + group * size + at, out, mask=inside)


def forward(
    x: torch.Tensor, y: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor, groups: int, eps: float
) -> torch.Tensor:
    x, y = x.contiguous(), y.contiguous()
    batch, all_channels, height, width = x.shape
    channels, pixels, many = all_channels // groups, height * width, batch * groups
    size, is_shared = channels * pixels, y.numel() != x.numel()
    parts = max(1, min(triton.cdiv(size, 4096), 2048 // many, 64))
    moments = torch.empty((many, parts, 3), dtype=torch.float32, device=x.device)
    moments_kernel[(many, parts)](
        x, y, moments, size, groups, channels, pixels, SHARED=is_shared, BLOCK=min(4096, triton.next_power_of_2(size))
    )
    out = torch.empty_like(x)
    block = min(2048, triton.next_power_of_2(size))
    normalise_kernel[(many, triton.cdiv(size, block))](
        x, y, moments, weight, bias, out, size, groups, channels, pixels, parts, eps,
        SHARED=is_shared, SCALED=weight is not None, PARTS=triton.next_power_of_2(parts), BLOCK=block,
    )  # fmt: skip
    return out
