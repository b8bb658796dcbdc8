"""GELU of halves, widened to float32 and rounded when stored."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def gelu_fp16_kernel(x_ptr, y_ptr, count, APPROXIMATE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    if APPROXIMATE:
        y = x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
    else:
        y = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(y_ptr + offsets, y.to(y_ptr.dtype.element_ty), mask=inside)


def forward(x: torch.Tensor, approximate: int) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    gelu_fp16_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), APPROXIMATE=bool(approximate), BLOCK=1024)
    return y
