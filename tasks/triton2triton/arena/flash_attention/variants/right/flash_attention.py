"""Attention forward in two sweeps over the keys: one for maximum and sum, one for the result, so nothing is
corrected.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def _scores(
    q, k_ptr, key_mask_ptr, scale, query, key, shift, keys, head_dim,
    CAUSAL: tl.constexpr, MASKED: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    dim = tl.arange(0, BLOCK_D)
    inside = (key < keys)[:, None] & (dim < head_dim)[None, :]
    k = tl.load(k_ptr + key.to(tl.int64)[:, None] * head_dim + dim[None, :], mask=inside, other=0.0)
    seen = (key < keys)[None, :]
    if CAUSAL:
        seen = seen & (key[None, :] <= query[:, None] + shift)
    if MASKED:
        seen = seen & (tl.load(key_mask_ptr + key, mask=key < keys, other=0) != 0)[None, :]
    return tl.where(seen, tl.dot(q, tl.trans(k)) * scale, -float("inf"))


@triton.jit
def flash_attention_kernel(
    q_ptr, k_ptr, v_ptr, key_mask_ptr, o_ptr, lse_ptr, scale, heads, kv_heads, queries, keys, head_dim,
    CAUSAL: tl.constexpr, MASKED: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    batch, head = tl.program_id(1) // heads, tl.program_id(1) % heads
    kv_start = (batch * kv_heads + head // (heads // kv_heads)).to(tl.int64) * keys * head_dim
    query = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    dim = tl.arange(0, BLOCK_D)
    q_offsets = (tl.program_id(1) * queries + query).to(tl.int64)[:, None] * head_dim + dim[None, :]
    q_inside = (query < queries)[:, None] & (dim < head_dim)[None, :]
    q = tl.load(q_ptr + q_offsets, mask=q_inside, other=0.0)

    highest = tl.full((BLOCK_Q,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_Q,), tl.float32)
    for begin in range(0, keys, BLOCK_K):
        key = begin + tl.arange(0, BLOCK_K)
        scores = _scores(
            q, k_ptr + kv_start, key_mask_ptr + batch * keys, scale, query, key, keys - queries, keys, head_dim,
            CAUSAL, MASKED, BLOCK_D,
        )  # fmt: skip
        higher = tl.maximum(highest, tl.max(scores, axis=1))
        shift = tl.where(higher == -float("inf"), 0.0, higher)
        total = total * tl.exp(highest - shift) + tl.sum(tl.exp(scores - shift[:, None]), axis=1)
        highest = higher
    blind = total == 0.0
    lse = tl.where(blind, -float("inf"), highest + tl.log(total))
    tl.store(lse_ptr + tl.program_id(1) * queries + query, lse, mask=query < queries)

    acc = tl.zeros((BLOCK_Q, BLOCK_D), tl.float32)
    for begin in range(0, keys, BLOCK_K):
        key = begin + tl.arange(0, BLOCK_K)
        scores = _scores(
            q, k_ptr + kv_start, key_mask_ptr + batch * keys, scale, query, key, keys - queries, keys, head_dim,
            CAUSAL, MASKED, BLOCK_D,
        )  # fmt: skip
        weights = tl.exp(scores - tl.where(blind, 0.0, lse)[:, None])
        inside = (key < keys)[:, None] & (dim < head_dim)[None, :]
        v_offsets = kv_start + key.to(tl.int64)[:, None] * head_dim + dim[None, :]
        v = tl.load(v_ptr + v_offsets, mask=inside, other=0.0)
        acc += tl.dot(weights.to(v.dtype), v)
    tl.store(o_ptr + q_offsets, acc.to(o_ptr.dtype.element_ty), mask=q_inside)


def forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, key_mask: torch.Tensor | None, scale: float, causal: int
) -> tuple[torch.Tensor, torch.Tensor]:
    batch, heads, queries, head_dim = q.shape
    o = torch.empty_like(q)
    lse = torch.empty((batch, heads, queries), dtype=torch.float32, device=q.device)
    grid = (triton.cdiv(queries, 64), batch * heads)
    flash_attention_kernel[grid](
        q, k, v, q if key_mask is None else key_mask, o, lse, scale, heads, k.shape[1], queries, k.shape[2], head_dim,
        CAUSAL=bool(causal), MASKED=key_mask is not None,
        BLOCK_Q=64, BLOCK_K=64, BLOCK_D=max(16, triton.next_power_of_2(head_dim)),
    )  # fmt: skip
    return o, lse
