"""A layer of experts: one packed grid of blocks over all experts, and gate and up made by one product of twice the
width.

The grid of a product has no program without tokens, however unevenly they are spread: each finds its expert by
counting blocks, and programs that share a tile of weights run one after the other, so it comes from the cache.
`prepare` interleaves the rows of gate and up, so that a tile has both for the same columns. Several tokens share a
routing program, and an expert's tokens are listed in long steps.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


def prepare(gate_up: torch.Tensor, down: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    experts, rows, hidden = gate_up.shape
    halves = gate_up.view(experts, 2, rows // 2, hidden)
    return halves.transpose(1, 2).contiguous().view(experts, rows, hidden), down


@triton.jit
def route_kernel(
    logits_ptr, ids_ptr, weights_ptr, tokens, experts, top_k,
    TOKENS: tl.constexpr, EXPERTS: tl.constexpr, TOP_K: tl.constexpr,
):  # fmt: skip
    token = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)[:, None]
    expert, place = tl.arange(0, EXPERTS)[None, :], tl.arange(0, TOP_K)[None, :]
    inside = (token < tokens) & (expert < experts)
    logits = tl.load(logits_ptr + token * experts + expert, mask=inside, other=-float("inf"))
    left = tl.zeros((TOKENS, EXPERTS), tl.int32) + tl.where(expert < experts, 1, 0)
    best = tl.full((TOKENS, TOP_K), -float("inf"), tl.float32)
    ids = tl.zeros((TOKENS, TOP_K), tl.int32)
    for k in range(0, top_k):
        score, chosen = tl.max(tl.where(left != 0, logits, -float("inf")), axis=1, return_indices=True)
        best = tl.where(place == k, score[:, None], best)
        ids = tl.where(place == k, chosen[:, None], ids)
        left = tl.where(expert == chosen[:, None], 0, left)
    highest = tl.max(best, axis=1)
    weights = tl.exp(best - tl.where(highest == -float("inf"), 0.0, highest)[:, None])
    total = tl.sum(weights, axis=1)
    weights = weights / tl.where(total == 0.0, 1.0, total)[:, None]
    written = (token < tokens) & (place < top_k)
    tl.store(ids_ptr + token * top_k + place, ids, mask=written)
    tl.store(weights_ptr + token * top_k + place, weights, mask=written)


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
def _block_of(block, counts_ptr, experts, EXPERTS: tl.constexpr, BLOCK_M: tl.constexpr):
    """The expert of a block of the packed grid, its first row there, and how many rows that expert has."""
    expert = tl.arange(0, EXPERTS)
    counts = tl.load(counts_ptr + expert, mask=expert < experts, other=0)
    blocks = tl.cdiv(counts, BLOCK_M)
    ends = tl.cumsum(blocks, axis=0)
    mine = tl.sum((ends <= block).to(tl.int32), axis=0)
    first = tl.sum(tl.where(expert == mine, ends - blocks, 0), axis=0)
    count = tl.sum(tl.where(expert == mine, counts, 0), axis=0)
    return mine, (block - first) * BLOCK_M, count


@triton.jit
def gate_up_kernel(
    x_ptr, weight_ptr, act_ptr, slots_ptr, counts_ptr, tokens, hidden, inner, experts, top_k,
    EXPERTS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    expert, begin, count = _block_of(tl.program_id(0), counts_ptr, experts, EXPERTS, BLOCK_M)
    if begin < count:
        row = begin + tl.arange(0, BLOCK_M)
        slot = tl.load(slots_ptr + expert * tokens + row, mask=row < count, other=0).to(tl.int64)
        both = tl.program_id(1) * 2 * BLOCK_N + tl.arange(0, 2 * BLOCK_N)
        k = tl.arange(0, BLOCK_K)
        x_ptrs = x_ptr + (slot // top_k)[:, None] * hidden + k[None, :]
        w_ptrs = weight_ptr + (expert * 2 * inner + both).to(tl.int64)[None, :] * hidden + k[:, None]
        acc = tl.zeros((BLOCK_M, 2 * BLOCK_N), tl.float32)
        for start in range(0, hidden, BLOCK_K):
            x = tl.load(x_ptrs, mask=(row < count)[:, None] & (k < hidden - start)[None, :], other=0.0)
            w = tl.load(w_ptrs, mask=(both < 2 * inner)[None, :] & (k < hidden - start)[:, None], other=0.0)
            acc = tl.dot(x, w, acc)
            x_ptrs += BLOCK_K
            w_ptrs += BLOCK_K
        gate, up = tl.split(tl.reshape(acc, (BLOCK_M, BLOCK_N, 2)))
        act = (gate / (1.0 + tl.exp(-gate)) * up).to(act_ptr.dtype.element_ty)
        column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
        inside = (row < count)[:, None] & (column < inner)[None, :]
        tl.store(act_ptr + slot[:, None] * inner + column[None, :], act, mask=inside)


@triton.jit
def down_kernel(
    act_ptr, weight_ptr, expert_weights_ptr, part_ptr, slots_ptr, counts_ptr, tokens, hidden, inner, experts,
    EXPERTS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    expert, begin, count = _block_of(tl.program_id(0), counts_ptr, experts, EXPERTS, BLOCK_M)
    if begin < count:
        row = begin + tl.arange(0, BLOCK_M)
        slot = tl.load(slots_ptr + expert * tokens + row, mask=row < count, other=0).to(tl.int64)
        column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
        k = tl.arange(0, BLOCK_K)
        a_ptrs = act_ptr + slot[:, None] * inner + k[None, :]
        w_ptrs = weight_ptr + (expert * hidden + column).to(tl.int64)[None, :] * inner + k[:, None]
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for start in range(0, inner, BLOCK_K):
            a = tl.load(a_ptrs, mask=(row < count)[:, None] & (k < inner - start)[None, :], other=0.0)
            w = tl.load(w_ptrs, mask=(column < hidden)[None, :] & (k < inner - start)[:, None], other=0.0)
            acc = tl.dot(a, w, acc)
            a_ptrs += BLOCK_K
            w_ptrs += BLOCK_K
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
    x: torch.Tensor, router_logits: torch.Tensor, top_k: int, state: tuple[torch.Tensor, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    gate_up, down = state
    tokens, hidden = x.shape
    experts, _, inner = down.shape
    all_experts, slots_count = triton.next_power_of_2(experts), tokens * top_k
    expert_ids = torch.empty((tokens, top_k), dtype=torch.int32, device=x.device)
    expert_weights = torch.empty((tokens, top_k), dtype=torch.float32, device=x.device)
    routed = max(1, min(16, 512 // all_experts))
    route_kernel[(triton.cdiv(tokens, routed),)](
        router_logits, expert_ids, expert_weights, tokens, experts, top_k,
        TOKENS=routed, EXPERTS=all_experts, TOP_K=triton.next_power_of_2(top_k),
    )  # fmt: skip
    slots = torch.empty((experts, tokens), dtype=torch.int32, device=x.device)
    counts = torch.empty(experts, dtype=torch.int32, device=x.device)
    step = max(128, min(2048, triton.next_power_of_2(slots_count)))
    list_kernel[(experts,)](expert_ids, slots, counts, tokens, slots_count, BLOCK=step)

    block_m = max(16, min(64, triton.next_power_of_2(slots_count // experts)))  # about what an expert gets
    block_n = 64 if block_m > 16 else 32
    num_warps = 8 if block_m == 64 else 4
    blocks = min(triton.cdiv(slots_count, block_m) + experts, slots_count)
    act = torch.empty((slots_count, inner), dtype=x.dtype, device=x.device)
    gate_up_kernel[(blocks, triton.cdiv(inner, block_n))](
        x, gate_up, act, slots, counts, tokens, hidden, inner, experts, top_k,
        EXPERTS=all_experts, BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=64, num_warps=num_warps,
    )  # fmt: skip
    part = torch.empty((slots_count, hidden), dtype=x.dtype, device=x.device)
    down_kernel[(blocks, triton.cdiv(hidden, 2 * block_n))](
        act, down, expert_weights, part, slots, counts, tokens, hidden, inner, experts,
        EXPERTS=all_experts, BLOCK_M=block_m, BLOCK_N=2 * block_n, BLOCK_K=64, num_warps=num_warps,
    )  # fmt: skip
    y = torch.empty_like(x)
    block = min(1024, triton.next_power_of_2(hidden))
    combine_kernel[(tokens, triton.cdiv(hidden, block))](part, y, hidden, top_k, BLOCK=block)
    return y, expert_ids, expert_weights
