"""Flash attention forward: blocks of keys that every query sees go without a mask; exponentials are powers of two.

A block of 128 queries reads each key half as often as one of 64. The scale and log2(e) go into one factor, so that a
score costs one multiply-add before its exponential. Causal blocks at the end of the sequence, the longest, start
first.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

LOG2_E = 1.4426950408889634
LN_2 = tl.constexpr(0.6931471805599453)


@triton.jit
def _walk(
    acc, total, highest, q, k_ptr, v_ptr, key_mask_ptr, factor, first, last, limit, keys, head_dim,
    MASKED: tl.constexpr, EDGE: tl.constexpr, WHOLE_D: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    """Keys from `first` up to `last`; `limit` is each query's first unseen key, looked at only where EDGE is set."""
    dim = tl.arange(0, BLOCK_D)
    for begin in range(first, last, BLOCK_K):
        key = begin + tl.arange(0, BLOCK_K)
        offsets = key.to(tl.int64)[:, None] * head_dim + dim[None, :]
        if EDGE:
            inside = (key < keys)[:, None] & (dim < head_dim)[None, :]
            k = tl.load(k_ptr + offsets, mask=inside, other=0.0)
        elif WHOLE_D:
            k = tl.load(k_ptr + offsets)
        else:
            k = tl.load(k_ptr + offsets, mask=(dim < head_dim)[None, :], other=0.0)
        scores = tl.dot(q, tl.trans(k))
        if EDGE:
            scores = tl.where(key[None, :] < limit[:, None], scores, -float("inf"))
        if MASKED:
            allowed = tl.load(key_mask_ptr + key, mask=key < keys, other=0)
            scores = tl.where((allowed != 0)[None, :], scores, -float("inf"))
        higher = tl.maximum(highest, tl.max(scores, axis=1) * factor)
        shift = higher
        if MASKED or EDGE:
            shift = tl.where(higher == -float("inf"), 0.0, higher)  # a query that has seen no key yet
        weights = tl.exp2(scores * factor - shift[:, None])
        shrink = tl.exp2(highest - shift)
        total = total * shrink + tl.sum(weights, axis=1)
        if EDGE:
            v = tl.load(v_ptr + offsets, mask=inside, other=0.0)
        elif WHOLE_D:
            v = tl.load(v_ptr + offsets)
        else:
            v = tl.load(v_ptr + offsets, mask=(dim < head_dim)[None, :], other=0.0)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None])
        highest = higher
    return acc, total, highest


@triton.jit
def flash_attention_kernel(
    q_ptr, k_ptr, v_ptr, key_mask_ptr, o_ptr, lse_ptr, factor, heads, kv_heads, queries, keys, head_dim,
    CAUSAL: tl.constexpr, MASKED: tl.constexpr, WHOLE_D: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    block = tl.num_programs(1) - 1 - tl.program_id(1)
    batch, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    kv_start = (batch * kv_heads + head // (heads // kv_heads)).to(tl.int64) * keys * head_dim
    query = block * BLOCK_Q + tl.arange(0, BLOCK_Q)
    dim = tl.arange(0, BLOCK_D)
    q_offsets = (tl.program_id(0) * queries + query).to(tl.int64)[:, None] * head_dim + dim[None, :]
    q_inside = (query < queries)[:, None] & (dim < head_dim)[None, :]
    q = tl.load(q_ptr + q_offsets, mask=q_inside, other=0.0)

    highest = tl.full((BLOCK_Q,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_Q,), tl.float32)
    acc = tl.zeros((BLOCK_Q, BLOCK_D), tl.float32)
    limit, end, whole = tl.zeros_like(query) + keys, keys, keys
    if CAUSAL:
        limit = tl.minimum(keys, query + keys - queries + 1)
        end = tl.minimum(keys, (block + 1) * BLOCK_Q + keys - queries)
        whole = block * BLOCK_Q + keys - queries + 1
    whole = whole // BLOCK_K * BLOCK_K  # the first block of keys that some query does not see whole
    acc, total, highest = _walk(
        acc, total, highest, q, k_ptr + kv_start, v_ptr + kv_start, key_mask_ptr + batch * keys, factor,
        0, whole, limit, keys, head_dim, MASKED, False, WHOLE_D, BLOCK_K, BLOCK_D,
    )  # fmt: skip
    acc, total, highest = _walk(
        acc, total, highest, q, k_ptr + kv_start, v_ptr + kv_start, key_mask_ptr + batch * keys, factor,
        whole, end, limit, keys, head_dim, MASKED, True, WHOLE_D, BLOCK_K, BLOCK_D,
    )  # fmt: skip

    blind = total == 0.0
    acc = acc * (1.0 / tl.where(blind, 1.0, total))[:, None]
    lse = tl.where(blind, -float("inf"), (highest + tl.log2(total)) * LN_2)
    tl.store(o_ptr + q_offsets, acc.to(o_ptr.dtype.element_ty), mask=q_inside)
    tl.store(lse_ptr + tl.program_id(0) * queries + query, lse, mask=query < queries)


def forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, key_mask: torch.Tensor | None, scale: float, causal: int
) -> tuple[torch.Tensor, torch.Tensor]:
    batch, heads, queries, head_dim = q.shape
    o = torch.empty_like(q)
    lse = torch.empty((batch, heads, queries), dtype=torch.float32, device=q.device)
    block_d = max(16, triton.next_power_of_2(head_dim))
    block_q = max(16, min(128, triton.next_power_of_2(queries)))
    grid = (batch * heads, triton.cdiv(queries, block_q))
    flash_attention_kernel[grid](
        q, k, v, q if key_mask is None else key_mask, o, lse, scale * LOG2_E, heads, k.shape[1], queries, k.shape[2],
        head_dim, CAUSAL=bool(causal), MASKED=key_mask is not None, WHOLE_D=block_d == head_dim,
        BLOCK_Q=block_q, BLOCK_K=64, BLOCK_D=block_d, num_warps=8 if block_q * block_d >= 128 * 128 else 4,
    )  # fmt: skip
    return o, lse
