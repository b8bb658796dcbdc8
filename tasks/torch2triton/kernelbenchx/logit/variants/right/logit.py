"""Clamps where the flag asks for it, then takes the logarithm of the odds."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def logit_kernel(x_ptr, y_ptr, count, eps, CLAMPED: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    z = x
    if CLAMPED:
        z = tl.minimum(tl.maximum(x, eps), 1.0 - eps)
    y = tl.log(z / (1.0 - z))
    tl.store(y_ptr + offsets, y.to(y_ptr.dtype.element_ty), mask=inside)


def forward(x: torch.Tensor, eps: float, clamped: int) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    logit_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), eps, CLAMPED=bool(clamped), BLOCK=1024)
    return y
