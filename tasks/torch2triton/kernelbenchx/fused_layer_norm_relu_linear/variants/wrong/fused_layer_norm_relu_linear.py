"""Layer normalisation by a variance that counts what lies beyond the row's end in its last block."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def linear_relu_kernel(
    x_ptr,
    w_ptr,
    bias_ptr,
    out_ptr,
    rows,
    inner,
    cols,
    x_row,
    x_inner,
    BIASED: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    tiles_down, tiles_across = tl.cdiv(rows, M), tl.cdiv(cols, N)
    group, place = tl.program_id(0) // (8 * tiles_across), tl.program_id(0) % (8 * tiles_across)
    height = tl.minimum(tiles_down - group * 8, 8)
    row = (group * 8 + place % height).to(tl.int64) * M + tl.arange(0, M)
    col = (place // height).to(tl.int64) * N + tl.arange(0, N)
    z = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K).to(tl.int64)
        x = tl.load(
            x_ptr + row[:, None] * x_row + k[None, :] * x_inner,
            mask=(row[:, None] < rows) & (k[None, :] < inner),
            other=0.0,
        )
        w = tl.load(
            w_ptr + col[None, :] * inner + k[:, None], mask=(k[:, None] < inner) & (col[None, :] < cols), other=0.0
        )
        z = tl.dot(x, w, z, input_precision="ieee")
    if BIASED:
        z += tl.load(bias_ptr + col, mask=col < cols, other=0.0).to(tl.float32)[None, :]
    out = tl.maximum(z, 0.0)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    tl.store(out_ptr + row[:, None] * cols + col[None, :], out.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def layer_norm_kernel(z_ptr, out_ptr, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, cols, BLOCK):
        total += tl.load(z_ptr + row * cols + begin + offsets, mask=begin + offsets < cols, other=0.0)
    mean = tl.sum(total, axis=0) / cols
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, cols, BLOCK):
        away = tl.load(z_ptr + row * cols + begin + offsets, mask=begin + offsets < cols, other=0.0) - mean
        squares += away * away
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / cols + eps)
    for begin in range(0, cols, BLOCK):
        inside = begin + offsets < cols
        out = (tl.load(z_ptr + row * cols + begin + offsets, mask=inside, other=0.0) - mean) * scale
        tl.store(out_ptr + row * cols + begin + offsets, out.to(out_ptr.dtype.element_ty), mask=inside)


def forward(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None, eps: float) -> torch.Tensor:
    w = w.contiguous()
    (rows, inner), cols = x.shape, w.shape[0]
    out = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    z = torch.empty((rows, cols), dtype=torch.float32, device=x.device)
    m = 16 if rows <= 16 else 64 if rows <= 64 else 128
    n, k = (64, 32) if x.dtype == torch.float32 else (128, 64)
    grid = (triton.cdiv(rows, m) * triton.cdiv(cols, n),)
    linear_relu_kernel[grid](
        x,
        w,
        x if bias is None else bias,
        z,
        rows,
        inner,
        cols,
        *x.stride(),
        BIASED=bias is not None,
        M=m,
        N=n,
        K=k,
        num_warps=8 if m == 128 else 4,
    )
    layer_norm_kernel[(rows,)](z, out, cols, eps, BLOCK=min(4096, triton.next_power_of_2(cols)))
    return out
