"""Flash attention forward whose causal limit counts from the first key: right while there are as many queries as
keys.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def flash_attention_kernel(
    q_ptr, k_ptr, v_ptr, key_mask_ptr, o_ptr, lse_ptr, scale, heads, kv_heads, queries, keys, head_dim,
    CAUSAL: tl.constexpr, MASKED: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    batch, head = tl.program_id(1) // heads, tl.program_id(1) % heads
    kv = batch * kv_heads + head // (heads // kv_heads)
    query = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    dim = tl.arange(0, BLOCK_D)
    q_offsets = (tl.program_id(1) * queries + query).to(tl.int64)[:, None] * head_dim + dim[None, :]
    q_inside = (query < queries)[:, None] & (dim < head_dim)[None, :]
    q = tl.load(q_ptr + q_offsets, mask=q_inside, other=0.0)

    highest = tl.full((BLOCK_Q,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_Q,), tl.float32)
    acc = tl.zeros((BLOCK_Q, BLOCK_D), tl.float32)
    end = keys
    if CAUSAL:
        end = tl.minimum(keys, (tl.program_id(0) + 1) * BLOCK_Q)
    for begin in range(0, end, BLOCK_K):
        key = begin + tl.arange(0, BLOCK_K)
        kv_offsets = (kv * keys + key).to(tl.int64)[:, None] * head_dim + dim[None, :]
        kv_inside = (key < keys)[:, None] & (dim < head_dim)[None, :]
        k = tl.load(k_ptr + kv_offsets, mask=kv_inside, other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        seen = (key < keys)[None, :]
        if CAUSAL:
            seen = seen & (key[None, :] <= query[:, None])
        if MASKED:
            allowed = tl.load(key_mask_ptr + batch * keys + key, mask=key < keys, other=0)
            seen = seen & (allowed != 0)[None, :]
        scores = tl.where(seen, scores, -float("inf"))
        higher = tl.maximum(highest, tl.max(scores, axis=1))
        shift = tl.where(higher == -float("inf"), 0.0, higher)  # a query that has seen no key yet
        weights = tl.exp(scores - shift[:, None])
        shrink = tl.exp(highest - shift)
        total = total * shrink + tl.sum(weights, axis=1)
        v = tl.load(v_ptr + kv_offsets, mask=kv_inside, other=0.0)
        acc = acc * shrink[:, None] + tl.dot(weights.to(v.dtype), v)
        highest = higher

    blind = total == 0.0
    acc = acc / tl.where(blind, 1.0, total)[:, None]
    lse = tl.where(blind, -float("inf"), highest + tl.log(total))
    tl.store(o_ptr + q_offsets, acc.to(o_ptr.dtype.element_ty), mask=q_inside)
    tl.store(lse_ptr + tl.program_id(1) * queries + query, lse, mask=query < queries)


def forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, key_mask: torch.Tensor | None, scale: float, causal: int
) -> tuple[torch.Tensor, torch.Tensor]:
    batch, heads, queries, head_dim = q.shape
    o = torch.empty_like(q)
    lse = torch.empty((batch, heads, queries), dtype=torch.float32, device=q.device)
    grid = (triton.cdiv(queries, 64), batch * heads)
    flash_attention_kernel[grid](
        q, k, v, key_mask, o, lse, scale, heads, k.shape[1], queries, k.shape[2], head_dim,
        CAUSAL=bool(causal), MASKED=key_mask is not None,
        BLOCK_Q=64, BLOCK_K=32, BLOCK_D=max(16, triton.next_power_of_2(head_dim)),
    )  # fmt: skip
    return o, lse
