"""Convolution by blocks, mean and spread of each plane and of each channel, and all that follows in one kernel."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def conv_kernel(
    x_ptr, w_ptr, y_ptr, groups, channels, filters, size, out_size, kernel, stride, padding, dilation,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    blocks = tl.cdiv(filters, N)
    group = tl.program_id(1) // blocks
    sample = tl.program_id(2).to(tl.int64)
    place = tl.program_id(0) * M + tl.arange(0, M)
    column = tl.program_id(1) % blocks * N + tl.arange(0, N)
    known = place < out_size * out_size
    top = place // out_size * stride - padding
    left = place % out_size * stride - padding
    first = (sample * groups + group) * channels
    sums = tl.zeros((M, N), dtype=tl.float32)
    for tap in range(kernel * kernel):
        row = top + tap // kernel * dilation
        col = left + tap % kernel * dilation
        inside = known & (row >= 0) & (row < size) & (col >= 0) & (col < size)
        for begin in range(0, channels, K):
            channel = begin + tl.arange(0, K)
            x_mask = inside[:, None] & (channel[None, :] < channels)
            x_at = (first + channel)[None, :] * (size * size) + (row * size + col)[:, None]
            x = tl.load(x_ptr + x_at, mask=x_mask, other=0.0)
            w_mask = (channel[:, None] < channels) & (column[None, :] < filters)
            w_at = ((group * filters + column)[None, :] * channels + channel[:, None]) * (kernel * kernel) + tap
            w = tl.load(w_ptr + w_at, mask=w_mask, other=0.0)
            sums = tl.dot(x, w, sums, input_precision="ieee")
    y_at = ((sample * groups + group) * filters + column)[None, :] * (out_size * out_size) + place[:, None]
    tl.store(y_ptr + y_at, sums, mask=known[:, None] & (column[None, :] < filters))


@triton.jit
def plane_kernel(y_ptr, mean_ptr, spread_ptr, planes, places, PLANES: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(0).to(tl.int64) * PLANES + tl.arange(0, PLANES)
    sums = tl.zeros((PLANES, BLOCK), dtype=tl.float32)
    for begin in range(0, places, BLOCK):
        place = begin + tl.arange(0, BLOCK)
        inside = (plane[:, None] < planes) & (place[None, :] < places)
        sums += tl.load(y_ptr + plane[:, None] * places + place[None, :], mask=inside, other=0.0)
    mean = tl.sum(sums, axis=1) / places
    squares = tl.zeros((PLANES, BLOCK), dtype=tl.float32)
    for begin in range(0, places, BLOCK):
        place = begin + tl.arange(0, BLOCK)
        inside = (plane[:, None] < planes) & (place[None, :] < places)
        y = tl.load(y_ptr + plane[:, None] * places + place[None, :], mask=inside, other=0.0) - mean[:, None]
        squares += tl.where(inside, y * y, 0.0)
    tl.store(mean_ptr + plane, mean, mask=plane < planes)
    tl.store(spread_ptr + plane, tl.sum(squares, axis=1), mask=plane < planes)


@triton.jit
def channel_kernel(
    mean_ptr, spread_ptr, batch_mean_ptr, scale_ptr, batch, width, places, eps,
    BATCH: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    sample = tl.arange(0, BATCH)
    channel = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    inside = (sample[:, None] < batch) & (channel[None, :] < width)
    plane = sample[:, None] * width + channel[None, :]
    means = tl.load(mean_ptr + plane, mask=inside, other=0.0)
    mean = tl.sum(means, axis=0) / batch
    between = tl.where(inside, means - mean[None, :], 0.0)
    within = tl.load(spread_ptr + plane, mask=inside, other=0.0) / places
    variance = tl.sum(between * between + within, axis=0) / batch
    tl.store(batch_mean_ptr + channel, mean, mask=channel < width)
    tl.store(scale_ptr + channel, 1.0 / tl.sqrt(variance + eps), mask=channel < width)


@triton.jit
def norm_relu_dropout_kernel(
    y_ptr, mean_ptr, scale_ptr, seed_ptr, out_ptr, count, width, places, p, BLOCK: tl.constexpr
):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    channel = at // places % width
    mean = tl.load(mean_ptr + channel, mask=inside, other=0.0)
    scale = tl.load(scale_ptr + channel, mask=inside, other=0.0)
    active = tl.maximum((tl.load(y_ptr + at, mask=inside, other=0.0) - mean) * scale, 0.0)
    keep = tl.rand(tl.load(seed_ptr), at) >= p
    out = tl.where(keep, active / (1 - p), 0.0)
    tl.store(out_ptr + at, out.to(out_ptr.dtype.element_ty), mask=inside)


def forward(
    x: torch.Tensor,
    w: torch.Tensor,
    stride: int,
    padding: int,
    dilation: int,
    groups: int,
    eps: float,
    seed: torch.Tensor,
    p: float,
) -> torch.Tensor:
    x, w = x.contiguous(), w.contiguous()
    batch, size = x.shape[0], x.shape[2]
    width, channels, kernel, _ = w.shape
    filters = width // groups
    out_size = (size + 2 * padding - (kernel - 1) * dilation - 1) // stride + 1
    places = out_size * out_size
    y = torch.empty((batch, width, out_size, out_size), dtype=torch.float32, device=x.device)
    mean = torch.empty((batch, width), dtype=torch.float32, device=x.device)
    spread = torch.empty((batch, width), dtype=torch.float32, device=x.device)
    batch_mean = torch.empty((width,), dtype=torch.float32, device=x.device)
    scale = torch.empty((width,), dtype=torch.float32, device=x.device)
    out = torch.empty((batch, width, out_size, out_size), dtype=x.dtype, device=x.device)
    n = 16 if filters <= 16 else 32 if x.dtype == torch.float32 else 64
    conv_kernel[(triton.cdiv(places, 64), groups * triton.cdiv(filters, n), batch)](
        x, w, y, groups, channels, filters, size, out_size, kernel, stride, padding, dilation, M=64, N=n, K=16
    )
    block = min(1024, triton.next_power_of_2(places))
    planes = 2048 // block
    plane_kernel[(triton.cdiv(batch * width, planes),)](
        y, mean, spread, batch * width, places, PLANES=planes, BLOCK=block
    )
    channel_kernel[(triton.cdiv(width, 16),)](
        mean, spread, batch_mean, scale, batch, width, places, eps, BATCH=triton.next_power_of_2(batch), WIDTH=16
    )
    norm_relu_dropout_kernel[(triton.cdiv(out.numel(), 1024),)](
        y, batch_mean, scale, seed, out, out.numel(), width, places, p, BLOCK=1024
    )
    return out
