"""The sign from the bits of x, the and from its whole part: x and y are read once."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def signbit_bitwise_and_kernel(x_ptr, y_ptr, s_ptr, a_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=inside)
    s = x.to(tl.int32, bitcast=True) < 0
    a = x.to(tl.int8) & y
    tl.store(s_ptr + offsets, s, mask=inside)
    tl.store(a_ptr + offsets, a, mask=inside)


def forward(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    x, y = x.contiguous(), y.contiguous()
    s, a = torch.empty_like(x, dtype=torch.bool), torch.empty_like(x, dtype=torch.int8)
    signbit_bitwise_and_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, s, a, x.numel(), BLOCK=1024)
    return s, a
