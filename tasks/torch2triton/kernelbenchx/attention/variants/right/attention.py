"""Attention over blocks of keys, with a running maximum and sum for each query."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, length, width, scale,
    CAUSAL: tl.constexpr, M: tl.constexpr, N: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    start = tl.program_id(1).to(tl.int64) * length * width
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.arange(0, WIDTH)
    q_mask = (row[:, None] < length) & (col[None, :] < width)
    q = tl.load(q_ptr + start + row[:, None] * width + col[None, :], mask=q_mask, other=0.0)
    highest = tl.full((M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((M,), dtype=tl.float32)
    sums = tl.zeros((M, WIDTH), dtype=tl.float32)
    last = tl.minimum(length, (tl.program_id(0) + 1) * M) if CAUSAL else length
    for begin in range(0, last, N):
        key = begin + tl.arange(0, N)
        k_mask = (col[:, None] < width) & (key[None, :] < length)
        k = tl.load(k_ptr + start + key[None, :] * width + col[:, None], mask=k_mask, other=0.0)
        logits = tl.dot(q, k, input_precision="ieee") * scale
        seen = key[None, :] < length
        if CAUSAL:
            seen = seen & (key[None, :] <= row[:, None])
        logits = tl.where(seen, logits, -float("inf"))
        higher = tl.maximum(highest, tl.max(logits, axis=1))
        old = tl.exp(highest - higher)
        weights = tl.exp(logits - higher[:, None])
        total = total * old + tl.sum(weights, axis=1)
        v_mask = (key[:, None] < length) & (col[None, :] < width)
        v = tl.load(v_ptr + start + key[:, None] * width + col[None, :], mask=v_mask, other=0.0)
        sums = tl.dot(weights.to(v.dtype), v, sums * old[:, None], input_precision="ieee")
        highest = higher
    out = sums / total[:, None]
    tl.store(out_ptr + start + row[:, None] * width + col[None, :], out.to(out_ptr.dtype.element_ty), mask=q_mask)


def forward(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: int, scale: float) -> torch.Tensor:
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    batch, heads, length, width = q.shape
    out = torch.empty_like(q)
    m, n = (32, 32) if q.dtype == torch.float32 else (64, 64)
    attention_kernel[(triton.cdiv(length, m), batch * heads)](
        q, k, v, out, length, width, scale, CAUSAL=bool(causal), M=m, N=n, WIDTH=triton.next_power_of_2(width)
    )
    return out
