"""Adds low-rank updates to the outputs of experts, but does not look whether an adapter is enabled.

A *pair* is one choice of one token: pair = token * top_k + place. A *group* is all pairs of one adapter and one expert.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def list_kernel(expert_ptr, adapter_ptr, enabled_ptr, list_ptr, count_ptr, pairs, top_k, experts, BLOCK: tl.constexpr):
    group = tl.program_id(0)
    adapter, expert = group // experts, group % experts
    count = 0
    if adapter >= 0:
        for begin in range(0, pairs, BLOCK):
            pair = begin + tl.arange(0, BLOCK)
            inside = pair < pairs
            mine = tl.load(expert_ptr + pair, mask=inside, other=-1) == expert
            mine = mine & (tl.load(adapter_ptr + pair // top_k, mask=inside, other=-1) == adapter)
            place = count + tl.cumsum(mine.to(tl.int32), axis=0) - 1
            tl.store(list_ptr + group.to(tl.int64) * pairs + place, pair, mask=mine)
            count += tl.sum(mine.to(tl.int32), axis=0)
    tl.store(count_ptr + group, count)


@triton.jit
def shrink_kernel(
    x_ptr,
    lora_a_ptr,
    list_ptr,
    count_ptr,
    low_ptr,
    pairs,
    top_k,
    hidden,
    rank,
    groups,
    M: tl.constexpr,
    R: tl.constexpr,
    K: tl.constexpr,
):
    group, part = tl.program_id(0).to(tl.int64), tl.program_id(2)
    count = tl.load(count_ptr + group)
    lane = tl.arange(0, R)
    lora_a_ptr += (part * groups + group) * rank * hidden
    for begin in range(tl.program_id(1) * M, count, tl.num_programs(1) * M):
        row = begin + tl.arange(0, M)
        pair = tl.load(list_ptr + group * pairs + row, mask=row < count, other=0).to(tl.int64)
        acc = tl.zeros((M, R), dtype=tl.float32)
        for start in range(0, hidden, K):
            k = start + tl.arange(0, K)
            x_inside = (row < count)[:, None] & (k < hidden)[None, :]
            x = tl.load(x_ptr + (pair // top_k)[:, None] * hidden + k[None, :], mask=x_inside, other=0.0)
            a_inside = (lane < rank)[None, :] & (k < hidden)[:, None]
            a = tl.load(lora_a_ptr + lane[None, :] * hidden + k[:, None], mask=a_inside, other=0.0)
            acc = tl.dot(x, a, acc)
        place = (part.to(tl.int64) * pairs + pair)[:, None] * rank + lane[None, :]
        inside = (row < count)[:, None] & (lane < rank)[None, :]
        tl.store(low_ptr + place, acc.to(low_ptr.dtype.element_ty), mask=inside)


@triton.jit
def expand_kernel(
    low_ptr,
    lora_b_ptr,
    weight_ptr,
    list_ptr,
    count_ptr,
    out_ptr,
    pairs,
    rank,
    cols,
    width,
    offset,
    groups,
    HAS_WEIGHTS: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    R: tl.constexpr,
):
    group, part = tl.program_id(0).to(tl.int64), tl.program_id(2)
    count = tl.load(count_ptr + group)
    lane = tl.arange(0, R)
    col = tl.program_id(1) * N + tl.arange(0, N)
    b_inside = (lane < rank)[:, None] & (col < cols)[None, :]
    b_place = ((part * groups + group) * cols + col)[None, :] * rank + lane[:, None]
    b = tl.load(lora_b_ptr + b_place, mask=b_inside, other=0.0)
    for begin in range(0, count, M):
        row = begin + tl.arange(0, M)
        pair = tl.load(list_ptr + group * pairs + row, mask=row < count, other=0).to(tl.int64)
        place = (part.to(tl.int64) * pairs + pair)[:, None] * rank + lane[None, :]
        low = tl.load(low_ptr + place, mask=(row < count)[:, None] & (lane < rank)[None, :], other=0.0)
        added = tl.dot(low, b)
        if HAS_WEIGHTS:
            added *= tl.load(weight_ptr + pair, mask=row < count, other=0.0)[:, None]
        at = out_ptr + pair[:, None] * width + offset + part * cols + col[None, :]
        inside = (row < count)[:, None] & (col < cols)[None, :]
        before = tl.load(at, mask=inside, other=0.0).to(tl.float32)
        tl.store(at, (before + added).to(out_ptr.dtype.element_ty), mask=inside)


def forward(
    out: torch.Tensor,
    x: torch.Tensor,
    lora_a: torch.Tensor,
    lora_b: torch.Tensor,
    weights: torch.Tensor | None,
    expert_ids: torch.Tensor,
    adapter_of_token: torch.Tensor,
    enabled: torch.Tensor,
    offset: int,
) -> torch.Tensor:
    (tokens, top_k, width), (parts, adapters, experts, rank, hidden) = out.shape, lora_a.shape
    cols, pairs, groups = lora_b.shape[3], tokens * top_k, adapters * experts
    lists = torch.empty((groups, pairs), dtype=torch.int32, device=x.device)
    counts = torch.empty(groups, dtype=torch.int32, device=x.device)
    list_kernel[(groups,)](expert_ids, adapter_of_token, enabled, lists, counts, pairs, top_k, experts, BLOCK=512)
    low = torch.empty((parts, pairs, rank), dtype=x.dtype, device=x.device)
    lanes = max(16, triton.next_power_of_2(rank))
    shrink_kernel[(groups, min(8, triton.cdiv(pairs, 16)), parts)](
        x, lora_a, lists, counts, low, pairs, top_k, hidden, rank, groups, M=16, R=lanes, K=64
    )
    expand_kernel[(groups, triton.cdiv(cols, 64), parts)](
        low,
        lora_b,
        weights,
        lists,
        counts,
        out,
        pairs,
        rank,
        cols,
        width,
        offset,
        groups,
        HAS_WEIGHTS=weights is not None,
        M=16,
        N=64,
        R=lanes,
    )
    return out
