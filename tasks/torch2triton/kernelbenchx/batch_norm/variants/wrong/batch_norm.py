"""The running variance is kept as it normalises, divided by the number of elements and not by one less."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def parts_kernel(x_ptr, parts_ptr, count, channels, pixels, ROWS: tl.constexpr, CHANNELS: tl.constexpr):
    channel = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)
    part, parts = tl.program_id(1), tl.num_programs(1)
    seen = tl.zeros((CHANNELS,), tl.float32)
    mean = tl.zeros((CHANNELS,), tl.float32)
    squares = tl.zeros((CHANNELS,), tl.float32)
    for begin in range(part * ROWS, count, parts * ROWS):
        place = begin + tl.arange(0, ROWS)
        inside = (place < count)[:, None] & (channel < channels)[None, :]
        at = place // pixels * channels * pixels + place % pixels
        x = tl.load(x_ptr + at[:, None] + channel[None, :] * pixels, mask=inside, other=0.0).to(tl.float32)
        here = tl.minimum(count - begin, ROWS).to(tl.float32)
        mean_here = tl.sum(x, axis=0) / here
        away = tl.where(inside, x - mean_here[None, :], 0.0)
        step = mean_here - mean
        squares += tl.sum(away * away, axis=0) + step * step * (seen * here / (seen + here))
        mean += step * (here / (seen + here))
        seen += here
    at = parts_ptr + part * 3 * channels + channel
    tl.store(at, seen, mask=channel < channels)
    tl.store(at + channels, mean, mask=channel < channels)
    tl.store(at + 2 * channels, squares, mask=channel < channels)


@triton.jit
def statistics_kernel(
    parts_ptr, running_mean_ptr, running_var_ptr, weight_ptr, used_ptr, channels, parts, momentum, eps,
    TRAINING: tl.constexpr, SCALED: tl.constexpr, CHANNELS: tl.constexpr,
):  # fmt: skip
    channel = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)
    inside = channel < channels
    mean = tl.load(running_mean_ptr + channel, mask=inside, other=0.0)
    var = tl.load(running_var_ptr + channel, mask=inside, other=1.0)
    if TRAINING:
        running_mean, running_var = mean, var
        seen = tl.zeros((CHANNELS,), tl.float32)
        mean = tl.zeros((CHANNELS,), tl.float32)
        squares = tl.zeros((CHANNELS,), tl.float32)
        for part in range(parts):
            at = parts_ptr + part * 3 * channels + channel
            here = tl.load(at, mask=inside, other=1.0)
            step = tl.load(at + channels, mask=inside, other=0.0) - mean
            squares += tl.load(at + 2 * channels, mask=inside, other=0.0) + step * step * (seen * here / (seen + here))
            mean += step * (here / (seen + here))
            seen += here
        var = squares / seen
        kept = var
        tl.store(running_mean_ptr + channel, running_mean + momentum * (mean - running_mean), mask=inside)
        tl.store(running_var_ptr + channel, running_var + momentum * (kept - running_var), mask=inside)
    scale = 1 / tl.sqrt(var + eps)
    if SCALED:
        scale *= tl.load(weight_ptr + channel, mask=inside, other=1.0)
    tl.store(used_ptr + channel, mean, mask=inside)
    tl.store(used_ptr + channels + channel, scale, mask=inside)


@triton.jit
def normalise_kernel(x_ptr, used_ptr, bias_ptr, y_ptr, total, channels, pixels, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < total
    channel = at // pixels % channels
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.load(used_ptr + channel, mask=inside, other=0.0)
    scale = tl.load(used_ptr + channels + channel, mask=inside, other=0.0)
    y = (x - mean) * scale + tl.load(bias_ptr + channel, mask=inside, other=0.0)
    tl.store(y_ptr + at, y, mask=inside)


def forward(
    x: torch.Tensor, running_mean: torch.Tensor, running_var: torch.Tensor, weight: torch.Tensor | None,
    bias: torch.Tensor, training: int, momentum: float, eps: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
    x = x.contiguous()
    total, channels = x.numel(), x.shape[1]
    pixels = total // (x.shape[0] * channels)
    count = total // channels
    wide = 1 if pixels > 1 else 32  # channels of a program, which lie side by side only if there are no pixels
    rows = 2048 // wide
    parts = max(1, min(triton.cdiv(count, rows), 1024 * wide // channels, 64))
    used = torch.empty((2, channels), dtype=torch.float32, device=x.device)
    found = torch.empty((parts, 3, channels), dtype=torch.float32, device=x.device)
    if training:
        parts_kernel[(triton.cdiv(channels, wide), parts)](x, found, count, channels, pixels, ROWS=rows, CHANNELS=wide)
    statistics_kernel[(triton.cdiv(channels, 128),)](
        found, running_mean, running_var, weight, used, channels, parts, momentum, eps,
        TRAINING=bool(training), SCALED=weight is not None, CHANNELS=128,
    )  # fmt: skip
    y = torch.empty_like(x)
    normalise_kernel[(triton.cdiv(total, 2048),)](x, used, bias, y, total, channels, pixels, BLOCK=2048)
    return y, running_mean, running_var
