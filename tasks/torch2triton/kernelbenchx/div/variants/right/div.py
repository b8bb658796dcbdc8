"""A correctly rounded quotient, then floor or trunc if the flags say so."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def div_kernel(x_ptr, y_ptr, out_ptr, count, ROUNDED: tl.constexpr, DOWN: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=inside).to(tl.float32)
    out = tl.math.div_rn(x, y)
    if DOWN:
        out = tl.floor(out)
    elif ROUNDED:
        out = libdevice.trunc(out)
    tl.store(out_ptr + offsets, out.to(out_ptr.dtype.element_ty), mask=inside)


def forward(x: torch.Tensor, y: torch.Tensor, rounded: int, down: int) -> torch.Tensor:
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    div_kernel[(triton.cdiv(x.numel(), 1024),)](
        x, y, out, x.numel(), ROUNDED=bool(rounded), DOWN=bool(down), BLOCK=1024
    )
    return out
