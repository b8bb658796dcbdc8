"""The GELU of chosen elements, but the vector is read where x is and not where the result goes."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def is_chosen(mask_ptr, place, count, cols, row_stride, col_stride):
    at = place // cols * row_stride + place % cols * col_stride
    return (tl.load(mask_ptr + at, mask=place < count, other=0) != 0).to(tl.int32)


@triton.jit
def count_kernel(mask_ptr, ends_ptr, count, cols, row_stride, col_stride, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    chosen = is_chosen(mask_ptr, place, count, cols, row_stride, col_stride)
    tl.store(ends_ptr + tl.program_id(0), tl.sum(chosen, axis=0))


@triton.jit
def ends_kernel(ends_ptr, blocks, BLOCK: tl.constexpr):
    before = 0
    for first in range(0, blocks, BLOCK):
        place = first + tl.arange(0, BLOCK)
        counts = tl.load(ends_ptr + place, mask=place < blocks, other=0)
        tl.store(ends_ptr + place, before + tl.cumsum(counts, axis=0), mask=place < blocks)
        before += tl.sum(counts, axis=0)


@triton.jit
def gelu_kernel(
    x_ptr,
    mask_ptr,
    ends_ptr,
    other_ptr,
    out_ptr,
    alpha,
    count,
    cols,
    row_stride,
    col_stride,
    TANH: tl.constexpr,
    BLOCK: tl.constexpr,
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    chosen = is_chosen(mask_ptr, place, count, cols, row_stride, col_stride)
    begin = tl.load(ends_ptr + tl.program_id(0)) - tl.sum(chosen, axis=0)
    target = begin + tl.cumsum(chosen, axis=0) - 1
    z = tl.load(x_ptr + place, mask=chosen != 0, other=0.0).to(tl.float32)
    z += alpha * tl.load(other_ptr + place, mask=chosen != 0, other=0.0).to(tl.float32)
    if TANH:
        out = z * tl.sigmoid(1.5957691216057308 * z * (1.0 + 0.044715 * z * z))
    else:
        out = 0.5 * z * (1.0 + tl.erf(z * 0.7071067811865476))
    tl.store(out_ptr + target, out.to(out_ptr.dtype.element_ty), mask=chosen != 0)


def forward(x: torch.Tensor, mask: torch.Tensor, other: torch.Tensor, alpha: float, tanh: int) -> torch.Tensor:
    x = x.contiguous()
    rows, cols = x.shape
    strides = (mask.stride(0), mask.stride(1) if mask.shape[1] == cols else 0)
    blocks = triton.cdiv(rows * cols, 1024)
    ends = torch.empty(blocks, dtype=torch.int32, device=x.device)
    count_kernel[(blocks,)](mask, ends, rows * cols, cols, *strides, BLOCK=1024)
    ends_kernel[(1,)](ends, blocks, BLOCK=1024)
    out = torch.empty(int(ends[-1]), dtype=x.dtype, device=x.device)
    given = (x, mask, ends, other, out, alpha, rows * cols, cols)
    gelu_kernel[(blocks,)](*given, *strides, TANH=bool(tanh), BLOCK=1024)
    return out
