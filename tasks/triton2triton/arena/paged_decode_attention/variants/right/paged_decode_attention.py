"""Paged decode attention that leaves the caches it was given alone and returns changed copies: right, but slow."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def store_kernel(
    key_ptr, value_ptr, key_cache_ptr, value_cache_ptr, block_table_ptr, lengths_ptr,
    kv_heads, head_dim, block_size, table_width, BLOCK_D: tl.constexpr,
):  # fmt: skip
    row, head = tl.program_id(0), tl.program_id(1)
    dim = tl.arange(0, BLOCK_D)
    inside = dim < head_dim
    position = tl.load(lengths_ptr + row) - 1
    block = tl.load(block_table_ptr + row * table_width + position // block_size).to(tl.int64)
    source = (row * kv_heads + head) * head_dim + dim
    target = ((block * block_size + position % block_size) * kv_heads + head) * head_dim + dim
    tl.store(key_cache_ptr + target, tl.load(key_ptr + source, mask=inside), mask=inside)
    tl.store(value_cache_ptr + target, tl.load(value_ptr + source, mask=inside), mask=inside)


@triton.jit
def paged_decode_kernel(
    q_ptr, key_cache_ptr, value_cache_ptr, block_table_ptr, lengths_ptr, slopes_ptr, o_ptr, scale,
    heads, kv_heads, head_dim, block_size, table_width,
    ALIBI: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    row, head = tl.program_id(0), tl.program_id(1)
    kv_head = head // (heads // kv_heads)
    dim = tl.arange(0, BLOCK_D)
    place = tl.arange(0, BLOCK_T)
    length = tl.load(lengths_ptr + row)
    q = tl.load(q_ptr + (row * heads + head) * head_dim + dim, mask=dim < head_dim, other=0.0).to(tl.float32)

    highest = -float("inf")
    total = 0.0
    acc = tl.zeros((BLOCK_D,), tl.float32)
    for page in range(0, tl.cdiv(length, block_size)):
        block = tl.load(block_table_ptr + row * table_width + page).to(tl.int64)
        position = page * block_size + place
        seen = (place < block_size) & (position < length)
        offsets = ((block * block_size + place) * kv_heads + kv_head)[:, None] * head_dim + dim[None, :]
        inside = seen[:, None] & (dim < head_dim)[None, :]
        k = tl.load(key_cache_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
        scores = tl.sum(q[None, :] * k, axis=1) * scale
        if ALIBI:
            scores += tl.load(slopes_ptr + head) * (position - (length - 1))
        scores = tl.where(seen, scores, -float("inf"))
        higher = tl.maximum(highest, tl.max(scores, axis=0))
        weights = tl.exp(scores - higher)
        shrink = tl.exp(highest - higher)
        total = total * shrink + tl.sum(weights, axis=0)
        v = tl.load(value_cache_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
        acc = acc * shrink + tl.sum(weights[:, None] * v, axis=0)
        highest = higher

    o = (acc / total).to(o_ptr.dtype.element_ty)
    tl.store(o_ptr + (row * heads + head) * head_dim + dim, o, mask=dim < head_dim)


def forward(
    q: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    block_table: torch.Tensor,
    lengths: torch.Tensor,
    slopes: torch.Tensor | None,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    o = torch.empty_like(q)
    key_cache, value_cache = key_cache.clone(), value_cache.clone()
    batch, heads, head_dim = q.shape
    _, block_size, kv_heads, _ = key_cache.shape
    block_d = triton.next_power_of_2(head_dim)
    store_kernel[(batch, kv_heads)](
        key, value, key_cache, value_cache, block_table, lengths,
        kv_heads, head_dim, block_size, block_table.shape[1], BLOCK_D=block_d,
    )  # fmt: skip
    paged_decode_kernel[(batch, heads)](
        q, key_cache, value_cache, block_table, lengths, slopes, o, scale,
        heads, kv_heads, head_dim, block_size, block_table.shape[1],
        ALIBI=slopes is not None, BLOCK_T=triton.next_power_of_2(block_size), BLOCK_D=block_d,
    )  # fmt: skip
    return o, key_cache, value_cache
