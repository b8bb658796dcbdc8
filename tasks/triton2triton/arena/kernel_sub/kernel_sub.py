"""Subtracts a multiple of one vector from another: one program for every 1024 elements."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def kernel_sub(x_ptr, y_ptr, out_ptr, factor, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=inside).to(tl.float32)
    tl.store(out_ptr + offsets, (x - factor * y).to(out_ptr.dtype.element_ty), mask=inside)


def forward(x: torch.Tensor, y: torch.Tensor, factor: float) -> torch.Tensor:
    out = torch.empty_like(x)
    count = x.numel()
    kernel_sub[(triton.cdiv(count, 1024),)](x, y, out, factor, count, BLOCK=1024)
    return out
