"""First half of LoRA for many adapters: one program a tile of 32 tokens of a group and slice."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def lora_shrink_kernel(
    x_ptr,
    a_ptr,
    order_ptr,
    starts_ptr,
    ids_ptr,
    out_ptr,
    tokens,
    inner,
    rank,
    adapters,
    scale,
    M: tl.constexpr,
    R: tl.constexpr,
    K: tl.constexpr,
):
    group = tl.program_id(1)
    which = tl.program_id(2).to(tl.int64)
    adapter = tl.load(ids_ptr + group)
    begin = tl.load(starts_ptr + group) + tl.program_id(0) * M
    end = tl.load(starts_ptr + group + 1)
    if (adapter < 0) | (begin >= end):
        return
    place = begin + tl.arange(0, M)
    token = tl.load(order_ptr + place, mask=place < end, other=0).to(tl.int64)
    a_ptr += (which * adapters + adapter) * rank * inner
    for first in range(0, rank, R):
        r = first + tl.arange(0, R)
        acc = tl.zeros((M, R), dtype=tl.float32)
        for k_first in range(0, inner, K):
            k = k_first + tl.arange(0, K)
            x_inside = (place[:, None] < end) & (k[None, :] < inner)
            a_inside = (k[:, None] < inner) & (r[None, :] < rank)
            x = tl.load(x_ptr + token[:, None] * inner + k[None, :], mask=x_inside, other=0.0)
            a = tl.load(a_ptr + r[None, :] * inner + k[:, None], mask=a_inside, other=0.0)
            acc = tl.dot(x, a, acc)
        out = out_ptr + (which * tokens + token[:, None]) * rank + r[None, :]
        tl.store(out, acc * scale, mask=(place[:, None] < end) & (r[None, :] < rank))


def forward(
    x: torch.Tensor, a: torch.Tensor, order: torch.Tensor, starts: torch.Tensor, ids: torch.Tensor, scale: float
) -> torch.Tensor:
    tokens, inner = x.shape
    slices, adapters, rank, _ = a.shape
    out = torch.zeros((slices, tokens, rank), dtype=torch.float32, device=x.device)
    block_rank = max(16, min(64, triton.next_power_of_2(rank)))
    lora_shrink_kernel[(triton.cdiv(tokens, 32), len(ids), slices)](
        x, a, order, starts, ids, out, tokens, inner, rank, adapters, scale, M=32, R=block_rank, K=64
    )
    return out
