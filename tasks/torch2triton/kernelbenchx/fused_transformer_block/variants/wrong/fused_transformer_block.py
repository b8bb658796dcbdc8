"""The same three kernels, but what is dropped is missing from the sum of the softmax as well."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def logits_kernel(x_ptr, w_ptr, logits_ptr, rows, width, hidden, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    slot = tl.program_id(1) * N + tl.arange(0, N)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, width, K):
        k = begin + tl.arange(0, K)
        x_mask = (row[:, None] < rows) & (k[None, :] < width)
        w_mask = (k[:, None] < width) & (slot[None, :] < hidden)
        x = tl.load(x_ptr + row[:, None] * width + k[None, :], mask=x_mask, other=0.0)
        w = tl.load(w_ptr + k[:, None] * hidden + slot[None, :], mask=w_mask, other=0.0)
        sums = tl.dot(x, w, sums, input_precision="ieee")
    mask = (row[:, None] < rows) & (slot[None, :] < hidden)
    tl.store(logits_ptr + row[:, None] * hidden + slot[None, :], sums, mask=mask)


@triton.jit
def values_kernel(
    logits_ptr, keep_ptr, w_ptr, y_ptr, rows, hidden, cols, p, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.program_id(1) * N + tl.arange(0, N)
    highest = tl.full((M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((M,), dtype=tl.float32)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, hidden, K):
        slot = begin + tl.arange(0, K)
        places = row[:, None] * hidden + slot[None, :]
        mask = (row[:, None] < rows) & (slot[None, :] < hidden)
        logits = tl.load(logits_ptr + places, mask=mask, other=0.0)
        logits = tl.where(slot[None, :] < hidden, logits, -float("inf"))
        higher = tl.maximum(highest, tl.max(logits, axis=1))
        old = tl.exp(highest - higher)
        powers = tl.exp(logits - higher[:, None])
        kept = tl.where(tl.load(keep_ptr + places, mask=mask, other=0) != 0, powers, 0.0)
        total = total * old + tl.sum(kept, axis=1)
        w_mask = (slot[:, None] < hidden) & (col[None, :] < cols)
        w = tl.load(w_ptr + slot[:, None] * cols + col[None, :], mask=w_mask, other=0.0)
        sums = tl.dot(kept.to(w.dtype), w, sums * old[:, None], input_precision="ieee")
        highest = higher
    y = sums / (tl.maximum(total, 1e-30) * (1 - p))[:, None]
    tl.store(y_ptr + row[:, None] * cols + col[None, :], y, mask=(row[:, None] < rows) & (col[None, :] < cols))


@triton.jit
def norm_kernel(y_ptr, residual_ptr, out_ptr, cols, stride, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    y = tl.load(y_ptr + row * cols + col, mask=inside, other=0.0)
    y += tl.load(residual_ptr + row * stride + col, mask=inside, other=0.0).to(tl.float32)
    y = tl.where(inside, y - tl.sum(y, axis=0) / cols, 0.0)
    out = y / tl.sqrt(tl.sum(y * y, axis=0) / cols + eps)
    tl.store(out_ptr + row * cols + col, out.to(out_ptr.dtype.element_ty), mask=inside)


def forward(
    x: torch.Tensor,
    w1: torch.Tensor,
    w2: torch.Tensor,
    residual: torch.Tensor,
    keep: torch.Tensor,
    p: float,
    eps: float,
) -> torch.Tensor:
    x, w1, w2, residual, keep = (each.contiguous() for each in (x, w1, w2, residual, keep))
    (rows, width), (hidden, cols) = x.shape, w2.shape
    logits = torch.empty((rows, hidden), dtype=torch.float32, device=x.device)
    y = torch.empty((rows, cols), dtype=torch.float32, device=x.device)
    out = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    m, n = (32, 32) if x.dtype == torch.float32 else (64, 64)
    logits_kernel[(triton.cdiv(rows, m), triton.cdiv(hidden, n))](x, w1, logits, rows, width, hidden, M=m, N=n, K=32)
    values_kernel[(triton.cdiv(rows, m), triton.cdiv(cols, n))](
        logits, keep, w2, y, rows, hidden, cols, p, M=m, N=n, K=32
    )
    stride = cols if residual.numel() == out.numel() else 0
    norm_kernel[(rows,)](y, residual, out, cols, stride, eps, BLOCK=triton.next_power_of_2(cols))
    return out
