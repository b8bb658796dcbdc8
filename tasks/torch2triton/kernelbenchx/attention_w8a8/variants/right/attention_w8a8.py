"""W8A8 attention over blocks of keys, whose weights have a scale for each query and block."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def rounded(x):
    return tl.where(x < 0, tl.ceil(x - 0.5), tl.floor(x + 0.5))  # halves away from 0: upwards would raise all sums


@triton.jit
def quantise_rows_kernel(x_ptr, q_ptr, scale_ptr, count, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, BLOCK)
    places = row[:, None] * width + col[None, :]
    inside = (row[:, None] < count) & (col[None, :] < width)
    x = tl.load(x_ptr + places, mask=inside, other=0.0).to(tl.float32)
    scale = tl.max(tl.abs(x), axis=1) / 127.0
    scale = tl.where(scale == 0.0, 1.0, scale)
    tl.store(scale_ptr + row, scale, mask=row < count)
    tl.store(q_ptr + places, rounded(x / scale[:, None]).to(tl.int8), mask=inside)


@triton.jit
def quantise_columns_kernel(x_ptr, q_ptr, scale_ptr, length, width, ROWS: tl.constexpr, COLS: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    largest = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for begin in range(0, length, ROWS):
        row = begin + tl.arange(0, ROWS)
        inside = (row[:, None] < length) & (col[None, :] < width)
        x = tl.load(x_ptr + (batch * length + row)[:, None] * width + col[None, :], mask=inside, other=0.0)
        largest = tl.maximum(largest, tl.abs(x.to(tl.float32)))
    scale = tl.max(largest, axis=0) / 127.0
    scale = tl.where(scale == 0.0, 1.0, scale)
    tl.store(scale_ptr + batch * width + col, scale, mask=col < width)
    for begin in range(0, length, ROWS):
        row = begin + tl.arange(0, ROWS)
        inside = (row[:, None] < length) & (col[None, :] < width)
        places = (batch * length + row)[:, None] * width + col[None, :]
        x = tl.load(x_ptr + places, mask=inside, other=0.0).to(tl.float32)
        tl.store(q_ptr + places, rounded(x / scale[None, :]).to(tl.int8), mask=inside)


@triton.jit
def int8_attention_kernel(
    q_ptr, k_ptr, v_ptr, q_scale_ptr, k_scale_ptr, v_scale_ptr, out_ptr, length, width, factor,
    M: tl.constexpr, N: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.arange(0, WIDTH)
    q_mask = (row[:, None] < length) & (col[None, :] < width)
    q = tl.load(q_ptr + (batch * length + row)[:, None] * width + col[None, :], mask=q_mask, other=0)
    q_scale = tl.load(q_scale_ptr + batch * length + row, mask=row < length, other=0.0) * factor
    highest = tl.full((M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((M,), dtype=tl.float32)
    sums = tl.zeros((M, WIDTH), dtype=tl.float32)
    for begin in range(0, length, N):
        key = begin + tl.arange(0, N)
        inside = key < length
        k_mask = (col[:, None] < width) & inside[None, :]
        k = tl.load(k_ptr + (batch * length + key)[None, :] * width + col[:, None], mask=k_mask, other=0)
        k_scale = tl.load(k_scale_ptr + batch * length + key, mask=inside, other=0.0)
        logits = tl.dot(q.to(tl.int8), k.to(tl.int8)).to(tl.float32) * q_scale[:, None] * k_scale[None, :]
        logits = tl.where(inside[None, :], logits, -float("inf"))
        of_block = tl.max(logits, axis=1)
        weights = tl.exp(logits - of_block[:, None])  # the largest of each row is 1
        quantised = tl.floor(weights * 254.0 + 0.5) - 127.0  # from -127 to 127, to use all 8 bits
        higher = tl.maximum(highest, of_block)
        old, new = tl.exp(highest - higher), tl.exp(of_block - higher)
        total = total * old + tl.sum(weights, axis=1) * new
        v_mask = inside[:, None] & (col[None, :] < width)
        v = tl.load(v_ptr + (batch * length + key)[:, None] * width + col[None, :], mask=v_mask, other=0)
        part = tl.dot(quantised.to(tl.int8), v.to(tl.int8)) + 127 * tl.sum(v.to(tl.int32), axis=0)[None, :]
        sums = sums * old[:, None] + part.to(tl.float32) * (new / 254.0)[:, None]
        highest = higher
    v_scale = tl.load(v_scale_ptr + batch * width + col, mask=col < width, other=0.0)
    out = sums / total[:, None] * v_scale[None, :]
    tl.store(
        out_ptr + (batch * length + row)[:, None] * width + col[None, :], out.to(out_ptr.dtype.element_ty), mask=q_mask
    )


def forward(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    batch, length, width = q.shape
    block = triton.next_power_of_2(width)
    q_8 = torch.empty(q.shape, dtype=torch.int8, device=q.device)
    k_8 = torch.empty(q.shape, dtype=torch.int8, device=q.device)
    v_8 = torch.empty(q.shape, dtype=torch.int8, device=q.device)
    q_scale = torch.empty((batch, length), dtype=torch.float32, device=q.device)
    k_scale = torch.empty((batch, length), dtype=torch.float32, device=q.device)
    v_scale = torch.empty((batch, width), dtype=torch.float32, device=q.device)
    out = torch.empty_like(q)
    count = batch * length
    grid = (triton.cdiv(count, 32),)
    quantise_rows_kernel[grid](q, q_8, q_scale, count, width, ROWS=32, BLOCK=block)
    quantise_rows_kernel[grid](k, k_8, k_scale, count, width, ROWS=32, BLOCK=block)
    quantise_columns_kernel[(triton.cdiv(width, 32), batch)](v, v_8, v_scale, length, width, ROWS=128, COLS=32)
    int8_attention_kernel[(triton.cdiv(length, 64), batch)](
        q_8, k_8, v_8, q_scale, k_scale, v_scale, out, length, width, width**-0.5, M=64, N=32, WIDTH=max(32, block)
    )
    return out
