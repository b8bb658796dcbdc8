"""The GELU of a scaled sum by its approximation with a tanh, which is another function: off by up to 5e-4."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def add_gelu_kernel(x_ptr, y_ptr, out_ptr, count, alpha, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=inside).to(tl.float32)
    z = x + alpha * y
    out = z * tl.sigmoid(1.5957691216057308 * (z + 0.044715 * z * z * z))
    tl.store(out_ptr + offsets, out.to(out_ptr.dtype.element_ty), mask=inside)


def forward(x: torch.Tensor, y: torch.Tensor, alpha: float) -> torch.Tensor:
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    add_gelu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), alpha, BLOCK=1024)
    return out
