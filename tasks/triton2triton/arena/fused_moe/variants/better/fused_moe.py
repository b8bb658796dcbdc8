"""A layer of experts in five kernels, with larger tiles where an expert has many tokens."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def route_kernel(logits_ptr, ids_ptr, weights_ptr, experts, top_k, EXPERTS: tl.constexpr, TOP_K: tl.constexpr):
    token = tl.program_id(0)
    expert, place = tl.arange(0, EXPERTS), tl.arange(0, TOP_K)
    logits = tl.load(logits_ptr + token * experts + expert, mask=expert < experts, other=-float("inf"))
    left = expert < experts
    best = tl.full((TOP_K,), -float("inf"), tl.float32)
    ids = tl.zeros((TOP_K,), tl.int32)
    for k in range(0, top_k):
        score, chosen = tl.max(tl.where(left, logits, -float("inf")), axis=0, return_indices=True)
        best = tl.where(place == k, score, best)
        ids = tl.where(place == k, chosen, ids)
        left = left & (expert != chosen)
    weights = tl.exp(best - tl.max(best, axis=0))
    weights = weights / tl.sum(weights, axis=0)
    tl.store(ids_ptr + token * top_k + place, ids, mask=place < top_k)
    tl.store(weights_ptr + token * top_k + place, weights, mask=place < top_k)


@triton.jit
def list_kernel(ids_ptr, slots_ptr, counts_ptr, tokens, slots, BLOCK: tl.constexpr):
    expert = tl.program_id(0)
    count = 0
    for begin in range(0, slots, BLOCK):
        slot = begin + tl.arange(0, BLOCK)
        mine = tl.load(ids_ptr + slot, mask=slot < slots, other=-1) == expert
        place = count + tl.cumsum(mine.to(tl.int32), axis=0) - 1
        tl.store(slots_ptr + expert * tokens + place, slot, mask=mine)
        count += tl.sum(mine.to(tl.int32), axis=0)
    tl.store(counts_ptr + expert, count)


@triton.jit
def gate_up_kernel(
    x_ptr, weight_ptr, act_ptr, slots_ptr, counts_ptr, tokens, hidden, inner, top_k,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    expert, begin = tl.program_id(2), tl.program_id(1) * BLOCK_M
    count = tl.load(counts_ptr + expert)
    if begin < count:
        row = begin + tl.arange(0, BLOCK_M)
        slot = tl.load(slots_ptr + expert * tokens + row, mask=row < count, other=0).to(tl.int64)
        column = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
        gate_row = (expert * 2 * inner + column).to(tl.int64) * hidden
        up_row = gate_row + inner.to(tl.int64) * hidden
        gate = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        up = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for start in range(0, hidden, BLOCK_K):
            k = start + tl.arange(0, BLOCK_K)
            x_inside = (row < count)[:, None] & (k < hidden)[None, :]
            x = tl.load(x_ptr + (slot // top_k)[:, None] * hidden + k[None, :], mask=x_inside, other=0.0)
            w_inside = (column < inner)[None, :] & (k < hidden)[:, None]
            gate += tl.dot(x, tl.load(weight_ptr + gate_row[None, :] + k[:, None], mask=w_inside, other=0.0))
            up += tl.dot(x, tl.load(weight_ptr + up_row[None, :] + k[:, None], mask=w_inside, other=0.0))
        act = (gate / (1.0 + tl.exp(-gate)) * up).to(act_ptr.dtype.element_ty)
        inside = (row < count)[:, None] & (column < inner)[None, :]
        tl.store(act_ptr + slot[:, None] * inner + column[None, :], act, mask=inside)


@triton.jit
def down_kernel(
    act_ptr, weight_ptr, expert_weights_ptr, part_ptr, slots_ptr, counts_ptr, tokens, hidden, inner,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    expert, begin = tl.program_id(2), tl.program_id(1) * BLOCK_M
    count = tl.load(counts_ptr + expert)
    if begin < count:
        row = begin + tl.arange(0, BLOCK_M)
        slot = tl.load(slots_ptr + expert * tokens + row, mask=row < count, other=0).to(tl.int64)
        column = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
        weight_row = (expert * hidden + column).to(tl.int64) * inner
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for start in range(0, inner, BLOCK_K):
            k = start + tl.arange(0, BLOCK_K)
            a_inside = (row < count)[:, None] & (k < inner)[None, :]
            a = tl.load(act_ptr + slot[:, None] * inner + k[None, :], mask=a_inside, other=0.0)
            w_inside = (column < hidden)[None, :] & (k < inner)[:, None]
            acc += tl.dot(a, tl.load(weight_ptr + weight_row[None, :] + k[:, None], mask=w_inside, other=0.0))
        acc *= tl.load(expert_weights_ptr + slot, mask=row < count, other=0.0)[:, None]
        inside = (row < count)[:, None] & (column < hidden)[None, :]
        tl.store(part_ptr + slot[:, None] * hidden + column[None, :], acc.to(part_ptr.dtype.element_ty), mask=inside)


@triton.jit
def combine_kernel(part_ptr, y_ptr, hidden, top_k, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, top_k):
        offsets = (token * top_k + k) * hidden + column
        total += tl.load(part_ptr + offsets, mask=column < hidden, other=0.0).to(tl.float32)
    tl.store(y_ptr + token * hidden + column, total.to(y_ptr.dtype.element_ty), mask=column < hidden)


def forward(
    x: torch.Tensor, router_logits: torch.Tensor, gate_up: torch.Tensor, down: torch.Tensor, top_k: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    tokens, hidden = x.shape
    experts, _, inner = down.shape
    expert_ids = torch.empty((tokens, top_k), dtype=torch.int32, device=x.device)
    expert_weights = torch.empty((tokens, top_k), dtype=torch.float32, device=x.device)
    route_kernel[(tokens,)](
        router_logits, expert_ids, expert_weights, experts, top_k,
        EXPERTS=triton.next_power_of_2(experts), TOP_K=triton.next_power_of_2(top_k),
    )  # fmt: skip
    slots = torch.empty((experts, tokens), dtype=torch.int32, device=x.device)
    counts = torch.empty(experts, dtype=torch.int32, device=x.device)
    list_kernel[(experts,)](expert_ids, slots, counts, tokens, tokens * top_k, BLOCK=256)

    block_m, block_n = max(16, min(64, triton.next_power_of_2(tokens * top_k // experts))), 64
    blocks = triton.cdiv(tokens, block_m)
    act = torch.empty((tokens * top_k, inner), dtype=x.dtype, device=x.device)
    gate_up_kernel[(triton.cdiv(inner, block_n), blocks, experts)](
        x,
        gate_up,
        act,
        slots,
        counts,
        tokens,
        hidden,
        inner,
        top_k,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        BLOCK_K=64,
        num_warps=8,
    )
    part = torch.empty((tokens * top_k, hidden), dtype=x.dtype, device=x.device)
    down_kernel[(triton.cdiv(hidden, block_n), blocks, experts)](
        act, down, expert_weights, part, slots, counts, tokens, hidden, inner,
        BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=64,
    )  # fmt: skip
    y = torch.empty_like(x)
    combine_kernel[(tokens, triton.cdiv(hidden, 1024))](part, y, hidden, top_k, BLOCK=1024)
    return y, expert_ids, expert_weights
