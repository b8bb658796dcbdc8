"""Paged decode attention: the heads of a group share what is read, and long sequences are cut among programs.

A program reads 64 tokens at a time, whatever the page size, and multiplies them with all heads of a group on the
matrix units, so the cache is read once. Where sequences are few, each is cut into parts, so that the whole device
reads; a small second kernel merges the parts. The program that has the new token writes it, and uses the argument
instead of what it wrote.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

BLOCK_T = 64  # tokens a step
PROGRAMS = 512  # what fills a device: some programs for each of its 100 to 300 processors
LEAST_PART = 256  # tokens: less is not worth a program and a merge


@triton.jit
def _copy_row(source, target, head_dim, BLOCK_D: tl.constexpr):
    """Writes a new token's key or value into the cache; returns it."""
    dim = tl.arange(0, BLOCK_D)
    row = tl.load(source + dim, mask=dim < head_dim, other=0.0)
    tl.store(target + dim, row, mask=dim < head_dim)
    return row.to(tl.float32)


@triton.jit
def paged_decode_kernel(
    q_ptr, key_ptr, value_ptr, key_cache_ptr, value_cache_ptr, block_table_ptr, lengths_ptr, slopes_ptr, o_ptr, lse_ptr,
    scale, kv_heads, group, head_dim, block_size, table_width, part_length,
    ALIBI: tl.constexpr, ONE_PART: tl.constexpr, GROUP: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    row, kv_head, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    member, dim = tl.arange(0, GROUP), tl.arange(0, BLOCK_D)
    d_inside = (dim < head_dim)[None, :]
    newest = tl.load(lengths_ptr + row) - 1
    first = part * part_length
    last = tl.minimum(newest, first + part_length)  # of the tokens that are in the cache already
    head = kv_head * group + member
    q_row = row * kv_heads * group + head
    q_inside = (member < group)[:, None] & d_inside
    q = tl.load(q_ptr + q_row[:, None] * head_dim + dim[None, :], mask=q_inside, other=0.0)
    if ALIBI:
        slope = tl.load(slopes_ptr + head, mask=member < group, other=0.0)[:, None]

    highest = tl.full((GROUP,), -float("inf"), tl.float32)
    total = tl.zeros((GROUP,), tl.float32)
    acc = tl.zeros((GROUP, BLOCK_D), tl.float32)
    for begin in range(first, last, BLOCK_T):
        position = begin + tl.arange(0, BLOCK_T)
        seen = position < last
        block = tl.load(block_table_ptr + row * table_width + position // block_size, mask=seen, other=0).to(tl.int64)
        offsets = ((block * block_size + position % block_size) * kv_heads + kv_head)[:, None] * head_dim + dim[None, :]
        inside = seen[:, None] & d_inside
        k = tl.load(key_cache_ptr + offsets, mask=inside, other=0.0)
        v = tl.load(value_cache_ptr + offsets, mask=inside, other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        if ALIBI:
            scores += slope * (position - newest)[None, :]
        scores = tl.where(seen[None, :], scores, -float("inf"))
        higher = tl.maximum(highest, tl.max(scores, axis=1))
        weights, shrink = tl.exp(scores - higher[:, None]), tl.exp(highest - higher)
        total = total * shrink + tl.sum(weights, axis=1)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None])
        highest = higher

    if (first <= newest) & (newest < first + part_length):
        block = tl.load(block_table_ptr + row * table_width + newest // block_size).to(tl.int64)
        target = ((block * block_size + newest % block_size) * kv_heads + kv_head) * head_dim
        source = (row * kv_heads + kv_head) * head_dim
        k = _copy_row(key_ptr + source, key_cache_ptr + target, head_dim, BLOCK_D)
        v = _copy_row(value_ptr + source, value_cache_ptr + target, head_dim, BLOCK_D)
        scores = tl.sum(q.to(tl.float32) * k[None, :], axis=1) * scale
        higher = tl.maximum(highest, scores)
        weights, shrink = tl.exp(scores - higher), tl.exp(highest - higher)
        total = total * shrink + weights
        acc = acc * shrink[:, None] + weights[:, None] * v[None, :]
        highest = higher

    if ONE_PART:
        o = (acc / total[:, None]).to(o_ptr.dtype.element_ty)
        tl.store(o_ptr + q_row[:, None] * head_dim + dim[None, :], o, mask=q_inside)
    elif first <= newest:
        part_row = q_row * tl.num_programs(2) + part
        tl.store(o_ptr + part_row[:, None] * head_dim + dim[None, :], acc / total[:, None], mask=q_inside)
        tl.store(lse_ptr + part_row, highest + tl.log(total), mask=member < group)


@triton.jit
def merge_kernel(
    part_ptr,
    lse_ptr,
    lengths_ptr,
    o_ptr,
    heads,
    head_dim,
    parts,
    part_length,
    PARTS: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    row = tl.program_id(0)
    part, dim = tl.arange(0, PARTS), tl.arange(0, BLOCK_D)
    used = part < tl.cdiv(tl.load(lengths_ptr + row // heads), part_length)
    lse = tl.load(lse_ptr + row * parts + part, mask=used, other=-float("inf"))
    weights = tl.exp(lse - tl.max(lse, axis=0))
    offsets = (row * parts + part)[:, None] * head_dim + dim[None, :]
    o = tl.load(part_ptr + offsets, mask=used[:, None] & (dim < head_dim)[None, :], other=0.0)
    o = tl.sum(o * weights[:, None], axis=0) / tl.sum(weights, axis=0)
    tl.store(o_ptr + row * head_dim + dim, o.to(o_ptr.dtype.element_ty), mask=dim < head_dim)


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
    longest = block_table.shape[1] * block_size
    parts = max(1, min(PROGRAMS // (batch * kv_heads), longest // LEAST_PART))
    part_length = triton.cdiv(triton.cdiv(longest, parts), BLOCK_T) * BLOCK_T
    parts = triton.cdiv(longest, part_length)
    block_d = max(16, triton.next_power_of_2(head_dim))
    out, lse = o, o
    if parts > 1:
        out = torch.empty((batch, heads, parts, head_dim), dtype=torch.float32, device=q.device)
        lse = torch.empty((batch, heads, parts), dtype=torch.float32, device=q.device)
    group = heads // kv_heads
    paged_decode_kernel[(batch, kv_heads, parts)](
        q, key, value, key_cache, value_cache, block_table, lengths, slopes, out, lse,
        scale, kv_heads, group, head_dim, block_size, block_table.shape[1], part_length,
        ALIBI=slopes is not None, ONE_PART=parts == 1, GROUP=max(16, triton.next_power_of_2(group)),
        BLOCK_T=BLOCK_T, BLOCK_D=block_d,
    )  # fmt: skip
    if parts > 1:
        merge_kernel[(batch * heads,)](
            out, lse, lengths, o, heads, head_dim, parts, part_length,
            PARTS=triton.next_power_of_2(parts), BLOCK_D=block_d,
        )  # fmt: skip
    return o, key_cache, value_cache
