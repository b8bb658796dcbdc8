"""Dropout and hard shrinkage in one kernel over all elements in a row, 1024 a program."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def hardshrink_dropout_kernel(x_ptr, seed_ptr, out_ptr, count, p, lambd, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    keep = tl.rand(tl.load(seed_ptr), offsets) >= p
    x = tl.where(keep, x / (1 - p), 0.0)
    tl.store(out_ptr + offsets, tl.where(tl.abs(x) > lambd, x, 0.0), mask=inside)


def forward(x: torch.Tensor, seed: torch.Tensor, p: float, lambd: int) -> torch.Tensor:
    x = x.contiguous()
    out = torch.empty_like(x)
    count = x.numel()
    hardshrink_dropout_kernel[(triton.cdiv(count, 1024),)](x, seed, out, count, p, lambd, BLOCK=1024)
    return out
