"""A product in float32, and a second kernel that reads each row or column for its sum and once more to write."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def linear_kernel(
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
    out = z
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    tl.store(out_ptr + row[:, None] * cols + col[None, :], out.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def log_softmax_kernel(z_ptr, out_ptr, lines, length, line_step, step, LINES: tl.constexpr, BLOCK: tl.constexpr):
    line = tl.program_id(0).to(tl.int64) * LINES + tl.arange(0, LINES)
    most = tl.full((LINES,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((LINES,), dtype=tl.float32)
    for begin in range(0, length, BLOCK):
        place = begin + tl.arange(0, BLOCK).to(tl.int64)
        inside = (line[:, None] < lines) & (place[None, :] < length)
        z = tl.load(z_ptr + line[:, None] * line_step + place[None, :] * step, mask=inside, other=0.0)
        z = tl.where(place[None, :] < length, z, float("-inf"))
        higher = tl.maximum(most, tl.max(z, axis=1))
        total = total * tl.exp(most - higher) + tl.sum(tl.exp(z - higher[:, None]), axis=1)
        most = higher
    less = most + tl.log(total)
    for begin in range(0, length, BLOCK):
        place = begin + tl.arange(0, BLOCK).to(tl.int64)
        inside = (line[:, None] < lines) & (place[None, :] < length)
        offsets = line[:, None] * line_step + place[None, :] * step
        z = tl.load(z_ptr + offsets, mask=inside, other=0.0)
        tl.store(out_ptr + offsets, (z - less[:, None]).to(out_ptr.dtype.element_ty), mask=inside)


def forward(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None, dim: int) -> torch.Tensor:
    w = w.contiguous()
    (rows, inner), cols = x.shape, w.shape[0]
    out = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    z = torch.empty((rows, cols), dtype=torch.float32, device=x.device)
    m = 16 if rows <= 16 else 64 if rows <= 64 else 128
    n, k = (64, 32) if x.dtype == torch.float32 else (128, 64)
    grid = (triton.cdiv(rows, m) * triton.cdiv(cols, n),)
    linear_kernel[grid](
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
    if dim == 0:
        log_softmax_kernel[(triton.cdiv(cols, 32),)](z, out, cols, rows, 1, cols, LINES=32, BLOCK=64)
    else:
        block = min(4096, triton.next_power_of_2(cols))
        log_softmax_kernel[(rows,)](z, out, rows, cols, cols, 1, LINES=1, BLOCK=block)
    return out
