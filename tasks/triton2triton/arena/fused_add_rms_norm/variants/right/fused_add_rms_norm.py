"""Residual addition and RMS normalisation in two kernels: one adds, the next normalises the rounded sum."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, residual_ptr, sum_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    residual = tl.load(residual_ptr + offsets, mask=inside).to(tl.float32)
    tl.store(sum_ptr + offsets, (x + residual).to(sum_ptr.dtype.element_ty), mask=inside)


@triton.jit
def rms_norm_kernel(x_ptr, weight_ptr, y_ptr, cols, eps, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * cols
    col = tl.arange(0, BLOCK)
    inside = col < cols
    x = tl.load(x_ptr + start + col, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + col, mask=inside, other=0.0).to(tl.float32)
    y = x / tl.sqrt(tl.sum(x * x, axis=0) / cols + eps) * weight
    tl.store(y_ptr + start + col, y.to(y_ptr.dtype.element_ty), mask=inside)


def forward(
    x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    x, residual = x.contiguous(), residual.contiguous()
    y, new_residual = torch.empty_like(x), torch.empty_like(x)
    rows, cols = x.shape
    add_kernel[(triton.cdiv(rows * cols, 1024),)](x, residual, new_residual, rows * cols, BLOCK=1024)
    block = triton.next_power_of_2(cols)
    num_warps = max(1, min(16, block // 512))
    rms_norm_kernel[(rows,)](new_residual, weight, y, cols, eps, BLOCK=block, num_warps=num_warps)
    return y, new_residual
