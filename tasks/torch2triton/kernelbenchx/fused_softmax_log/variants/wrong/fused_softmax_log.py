"""The share of the sum, but negative elements take part in it and give no NaN."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_log_kernel(x_ptr, y_ptr, length, inner, LENGTH: tl.constexpr, INNER: tl.constexpr):
    place = tl.arange(0, LENGTH)
    column = tl.program_id(1) * INNER + tl.arange(0, INNER)
    start = tl.program_id(0).to(tl.int64) * length * inner
    at = start + place[:, None] * inner + column[None, :]
    highest = tl.zeros((INNER,), tl.float32)
    for begin in range(0, length, LENGTH):
        inside = (begin + place < length)[:, None] & (column < inner)[None, :]
        x = tl.load(x_ptr + at + begin * inner, mask=inside, other=0.0).to(tl.float32)
        highest = tl.maximum(highest, tl.max(x, axis=0))
    total = tl.zeros((INNER,), tl.float32)
    for begin in range(0, length, LENGTH):
        inside = (begin + place < length)[:, None] & (column < inner)[None, :]
        x = tl.load(x_ptr + at + begin * inner, mask=inside, other=0.0).to(tl.float32)
        total += tl.sum(tl.where(inside, x / highest[None, :], 0.0), axis=0)
    for begin in range(0, length, LENGTH):
        inside = (begin + place < length)[:, None] & (column < inner)[None, :]
        x = tl.load(x_ptr + at + begin * inner, mask=inside, other=0.0).to(tl.float32)
        tl.store(y_ptr + at + begin * inner, x / highest[None, :] / total[None, :], mask=inside)


def forward(x: torch.Tensor, dim: int) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty(x.shape, dtype=torch.float32, device=x.device)
    length, inner = x.shape[dim], x.shape[2] if dim == -2 else 1
    columns = min(64, triton.next_power_of_2(inner))
    block = min(triton.next_power_of_2(length), 8192 // columns)
    grid = (x.numel() // (length * inner), triton.cdiv(inner, columns))
    softmax_log_kernel[grid](x, y, length, inner, LENGTH=block, INNER=columns, num_warps=8)
    return y
