"""The cosine stays in a register until its sign bit is taken."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def fused_cos_signbit_kernel(x_ptr, c_ptr, s_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    c = tl.cos(x)
    s = c.to(tl.int32, bitcast=True) < 0
    tl.store(c_ptr + offsets, c.to(c_ptr.dtype.element_ty), mask=inside)
    tl.store(s_ptr + offsets, s, mask=inside)


def forward(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    x = x.contiguous()
    c, s = torch.empty_like(x), torch.empty_like(x, dtype=torch.bool)
    fused_cos_signbit_kernel[(triton.cdiv(x.numel(), 1024),)](x, c, s, x.numel(), BLOCK=1024)
    return c, s
