"""Paged decode attention: after the write, one program a group of heads walks over the pages and reads each of them
once.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def store_kernel(
    key_ptr, value_ptr, key_cache_ptr, value_cache_ptr, block_table_ptr, lengths_ptr,
    width, block_size, table_width, BLOCK: tl.constexpr,
):  # fmt: skip
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    inside = column < width
    position = tl.load(lengths_ptr + row) - 1
    block = tl.load(block_table_ptr + row * table_width + position // block_size).to(tl.int64)
    target = (block * block_size + position % block_size) * width + column
    tl.store(key_cache_ptr + target, tl.load(key_ptr + row * width + column, mask=inside), mask=inside)
    tl.store(value_cache_ptr + target, tl.load(value_ptr + row * width + column, mask=inside), mask=inside)


@triton.jit
def paged_decode_kernel(
    q_ptr, key_cache_ptr, value_cache_ptr, block_table_ptr, lengths_ptr, slopes_ptr, o_ptr, scale,
    kv_heads, group, head_dim, block_size, table_width,
    ALIBI: tl.constexpr, GROUP: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    row, kv_head = tl.program_id(0), tl.program_id(1)
    member, dim, place = tl.arange(0, GROUP), tl.arange(0, BLOCK_D), tl.arange(0, BLOCK_T)
    length = tl.load(lengths_ptr + row)
    head = kv_head * group + member
    q_offsets = (row * kv_heads * group + head)[:, None] * head_dim + dim[None, :]
    q_inside = (member < group)[:, None] & (dim < head_dim)[None, :]
    q = tl.load(q_ptr + q_offsets, mask=q_inside, other=0.0)
    if ALIBI:
        slope = tl.load(slopes_ptr + head, mask=member < group, other=0.0)[:, None]

    highest = tl.full((GROUP,), -float("inf"), tl.float32)
    total = tl.zeros((GROUP,), tl.float32)
    acc = tl.zeros((GROUP, BLOCK_D), tl.float32)
    for page in range(0, tl.cdiv(length, block_size)):
        block = tl.load(block_table_ptr + row * table_width + page).to(tl.int64)
        position = page * block_size + place
        seen = (place < block_size) & (position < length)
        offsets = ((block * block_size + place) * kv_heads + kv_head)[:, None] * head_dim + dim[None, :]
        inside = seen[:, None] & (dim < head_dim)[None, :]
        k = tl.load(key_cache_ptr + offsets, mask=inside, other=0.0)
        v = tl.load(value_cache_ptr + offsets, mask=inside, other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        if ALIBI:
            scores += slope * (position - (length - 1))[None, :]
        scores = tl.where(seen[None, :], scores, -float("inf"))
        higher = tl.maximum(highest, tl.max(scores, axis=1))
        weights = tl.exp(scores - higher[:, None])
        shrink = tl.exp(highest - higher)
        total = total * shrink + tl.sum(weights, axis=1)
        acc = acc * shrink[:, None] + tl.dot(weights.to(v.dtype), v)
        highest = higher
    tl.store(o_ptr + q_offsets, (acc / total[:, None]).to(o_ptr.dtype.element_ty), mask=q_inside)


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
    batch, heads, head_dim = q.shape
    _, block_size, kv_heads, _ = key_cache.shape
    width, group = kv_heads * head_dim, heads // kv_heads
    store_kernel[(batch,)](
        key, value, key_cache, value_cache, block_table, lengths,
        width, block_size, block_table.shape[1], BLOCK=triton.next_power_of_2(width),
    )  # fmt: skip
    paged_decode_kernel[(batch, kv_heads)](
        q, key_cache, value_cache, block_table, lengths, slopes, o, scale,
        kv_heads, group, head_dim, block_size, block_table.shape[1],
        ALIBI=slopes is not None, GROUP=max(16, triton.next_power_of_2(group)),
        BLOCK_T=max(16, triton.next_power_of_2(block_size)), BLOCK_D=max(16, triton.next_power_of_2(head_dim)),
    )  # fmt: skip
    return o, key_cache, value_cache
