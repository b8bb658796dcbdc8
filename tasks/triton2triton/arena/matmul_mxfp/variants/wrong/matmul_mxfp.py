"""Product of a matrix in MXFP4 with one of 8-bit floats that takes the high half of a byte for the first."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def decoded(code):
    """The number of a code of e2m1: a sign, two bits of exponent and one of mantissa."""
    exponent = code >> 1 & 3
    mantissa = code & 1
    halves = tl.where(exponent == 0, mantissa, (2 + mantissa) << tl.maximum(exponent - 1, 0))
    size = halves.to(tl.float32) * 0.5
    return tl.where(code & 8 != 0, -size, size)


@triton.jit
def matmul_mxfp_kernel(
    a_ptr, a_scale_ptr, b_ptr, out_ptr, rows, cols, groups, M: tl.constexpr, N: tl.constexpr, GROUP: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64) * M + tl.arange(0, M)
    col = tl.program_id(1).to(tl.int64) * N + tl.arange(0, N)
    lane = tl.arange(0, GROUP)
    row_inside, col_inside = (row < rows)[:, None], (col < cols)[None, :]
    acc = tl.zeros((M, N), dtype=tl.float32)
    for group in range(0, groups):
        k = group * GROUP + lane.to(tl.int64)
        pair = tl.load(a_ptr + (row[:, None] * groups * GROUP + k[None, :]) // 2, mask=row_inside, other=0)
        a = decoded((pair.to(tl.int32) >> (4 - lane % 2 * 4)[None, :]) & 15)
        b = tl.load(b_ptr + k[:, None] * cols + col[None, :], mask=col_inside, other=0.0)
        part = tl.dot(a.to(tl.bfloat16), b.to(tl.bfloat16))
        byte = tl.load(a_scale_ptr + row * groups + group, mask=row < rows, other=127).to(tl.int32)
        bits = tl.where(byte == 0, 1 << 22, byte << 23)  # 2 ** -127 is no normal number
        scale = tl.where(byte == 255, float("nan"), bits.to(tl.float32, bitcast=True))
        acc += part * scale[:, None]
    tl.store(out_ptr + row[:, None] * cols + col[None, :], acc.to(tl.bfloat16), mask=row_inside & col_inside)


def forward(a: torch.Tensor, a_scale: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (rows, groups), cols = a_scale.shape, b.shape[1]
    out = torch.empty((rows, cols), dtype=torch.bfloat16, device=a.device)
    grid = (triton.cdiv(rows, 64), triton.cdiv(cols, 64))
    matmul_mxfp_kernel[grid](a, a_scale, b, out, rows, cols, groups, M=64, N=64, GROUP=32)
    return out
