"""W4A16 layer: weights are packed once, low half bytes for even inputs, and scaled after the sum over their group."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

GROUP = 128


@triton.jit
def int4_linear_kernel(
    x_ptr,
    packed_ptr,
    scale_ptr,
    bias_ptr,
    out_ptr,
    rows,
    inner,
    cols,
    groups,
    HAS_BIAS: tl.constexpr,
    HALF: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * M + tl.arange(0, M)
    col = tl.program_id(1).to(tl.int64) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for group in range(groups):
        pair = group * HALF + tl.arange(0, HALF)
        packed = tl.load(packed_ptr + col[None, :] * (groups * HALF) + pair[:, None], mask=col[None, :] < cols, other=0)
        known = (row[:, None] < rows) & (2 * pair[None, :] < inner)
        even = tl.load(x_ptr + row[:, None] * inner + 2 * pair[None, :], mask=known, other=0.0)
        odd = tl.load(x_ptr + row[:, None] * inner + 2 * pair[None, :] + 1, mask=known, other=0.0)
        low = (packed & 15).to(tl.int8) - 8
        high = (packed >> 4).to(tl.int8) - 8
        part = tl.dot(even, low.to(even.dtype))
        part = tl.dot(odd, high.to(odd.dtype), part)
        acc += part * tl.load(scale_ptr + col * groups + group, mask=col < cols, other=0.0)[None, :]
    if HAS_BIAS:
        acc += tl.load(bias_ptr + col, mask=col < cols, other=0.0).to(tl.float32)[None, :]
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    tl.store(out_ptr + row[:, None] * cols + col[None, :], acc.to(out_ptr.dtype.element_ty), mask=inside)


def prepare(w: torch.Tensor, bias: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    cols, inner = w.shape
    groups = triton.cdiv(inner, GROUP)
    padded = torch.zeros((cols, groups * GROUP), dtype=torch.float32, device=w.device)
    padded[:, :inner] = w
    grouped = padded.reshape(cols, groups, GROUP)
    scale = grouped.abs().amax(2) / 7.0
    scale = torch.where(scale == 0.0, 1.0, scale)
    q = (torch.round(grouped / scale[:, :, None]) + 8.0).to(torch.uint8).reshape(cols, -1)
    return (q[:, 0::2] + 16 * q[:, 1::2]).contiguous(), scale, bias


def forward(x: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]) -> torch.Tensor:
    x = x.contiguous()
    packed, scale, bias = state
    (rows, inner), (cols, groups) = x.shape, scale.shape
    out = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    m = 16 if rows <= 16 else 64
    grid = (triton.cdiv(rows, m), triton.cdiv(cols, 64))
    int4_linear_kernel[grid](
        x,
        packed,
        scale,
        bias if bias is not None else x,
        out,
        rows,
        inner,
        cols,
        groups,
        HAS_BIAS=bias is not None,
        HALF=GROUP // 2,
        M=m,
        N=64,
    )
    return out
