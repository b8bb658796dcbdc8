"""W8A8 convolution that cuts quotients of x towards zero, as a cast does: twice the error of rounding."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def largest_kernel(x_ptr, largest_ptr, count, BLOCK: tl.constexpr):
    sample = tl.program_id(1).to(tl.int64)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + sample * count + at, mask=at < count, other=0.0).to(tl.float32)
    tl.store(largest_ptr + sample * tl.num_programs(0) + tl.program_id(0), tl.max(tl.abs(x), axis=0))


@triton.jit
def quantise_kernel(
    x_ptr, largest_ptr, q_ptr, scale_ptr, channels, pixels, chunks,
    CHUNKS: tl.constexpr, PIXELS: tl.constexpr, CHANNELS: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(2).to(tl.int64)
    pixel = tl.program_id(0) * PIXELS + tl.arange(0, PIXELS)
    channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    chunk = tl.arange(0, CHUNKS)
    largest = tl.load(largest_ptr + sample * chunks + chunk, mask=chunk < chunks, other=0.0)
    scale = tl.max(largest, axis=0) / 127.0
    scale = tl.where(scale == 0.0, 1.0, scale)
    tl.store(scale_ptr + sample, scale)
    mask = (pixel[:, None] < pixels) & (channel[None, :] < channels)
    x = tl.load(x_ptr + (sample * channels + channel)[None, :] * pixels + pixel[:, None], mask=mask, other=0.0)
    q = (x.to(tl.float32) / scale).to(tl.int8)
    tl.store(q_ptr + (sample * pixels + pixel)[:, None] * channels + channel[None, :], q, mask=mask)


@triton.jit
def int8_conv_kernel(
    x_ptr, w_ptr, x_scale_ptr, w_scale_ptr, bias_ptr, out_ptr,
    channels, filters, size, out_size, kernel, stride, padding,
    BIASED: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(2).to(tl.int64)
    place = tl.program_id(0) * M + tl.arange(0, M)
    column = tl.program_id(1) * N + tl.arange(0, N)
    known = place < out_size * out_size
    top = place // out_size * stride - padding
    left = place % out_size * stride - padding
    sums = tl.zeros((M, N), dtype=tl.int32)
    for tap in range(kernel * kernel):
        row = top + tap // kernel
        col = left + tap % kernel
        inside = known & (row >= 0) & (row < size) & (col >= 0) & (col < size)
        pixel = (sample * size + row) * size + col
        for begin in range(0, channels, K):
            channel = begin + tl.arange(0, K)
            x_mask = inside[:, None] & (channel[None, :] < channels)
            w_mask = (channel[:, None] < channels) & (column[None, :] < filters)
            x = tl.load(x_ptr + pixel[:, None] * channels + channel[None, :], mask=x_mask, other=0)
            w = tl.load(w_ptr + (tap * channels + channel)[:, None] * filters + column[None, :], mask=w_mask, other=0)
            sums += tl.dot(x.to(tl.int8), w.to(tl.int8))
    w_scale = tl.load(w_scale_ptr + column, mask=column < filters, other=0.0)
    out = sums.to(tl.float32) * tl.load(x_scale_ptr + sample) * w_scale[None, :]
    if BIASED:
        out += tl.load(bias_ptr + column, mask=column < filters, other=0.0).to(tl.float32)[None, :]
    places = (sample * filters + column)[None, :] * (out_size * out_size) + place[:, None]
    mask = known[:, None] & (column[None, :] < filters)
    tl.store(out_ptr + places, out.to(out_ptr.dtype.element_ty), mask=mask)


def prepare(w: torch.Tensor, bias: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    scale = w.float().abs().amax((1, 2, 3)) / 127.0
    scale = torch.where(scale == 0.0, 1.0, scale)
    q = torch.round(w.float() / scale[:, None, None, None]).to(torch.int8)
    return q.permute(2, 3, 1, 0).contiguous(), scale, bias


def forward(
    x: torch.Tensor, stride: int, padding: int, state: tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]
) -> torch.Tensor:
    x = x.contiguous()
    w, w_scale, bias = state
    batch, channels, size, _ = x.shape
    kernel, filters = w.shape[0], w.shape[3]
    out_size = (size + 2 * padding - kernel) // stride + 1
    pixels, places = size * size, out_size * out_size
    block = max(4096, triton.next_power_of_2(triton.cdiv(channels * pixels, 1024)))
    chunks = triton.cdiv(channels * pixels, block)
    largest = torch.empty((batch, chunks), dtype=torch.float32, device=x.device)
    q = torch.empty((batch, pixels, channels), dtype=torch.int8, device=x.device)
    x_scale = torch.empty((batch,), dtype=torch.float32, device=x.device)
    out = torch.empty((batch, filters, out_size, out_size), dtype=x.dtype, device=x.device)
    largest_kernel[(chunks, batch)](x, largest, channels * pixels, BLOCK=block)
    quantise_kernel[(triton.cdiv(pixels, 64), triton.cdiv(channels, 32), batch)](
        x, largest, q, x_scale, channels, pixels, chunks,
        CHUNKS=triton.next_power_of_2(chunks), PIXELS=64, CHANNELS=32,
    )  # fmt: skip
    int8_conv_kernel[(triton.cdiv(places, 64), triton.cdiv(filters, 64), batch)](
        q, w, x_scale, w_scale, x if bias is None else bias, out,
        channels, filters, size, out_size, kernel, stride, padding, BIASED=bias is not None, M=64, N=64, K=32,
    )  # fmt: skip
    return out
