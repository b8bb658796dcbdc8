"""Second half of LoRA whose tiles run on into the next slice, up to the last column of all."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def lora_expand_kernel(
    u_ptr,
    b_ptr,
    y_ptr,
    order_ptr,
    starts_ptr,
    ids_ptr,
    bounds_ptr,
    tokens,
    cols,
    before,
    width,
    rank,
    token_tiles,
    ADD: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    R: tl.constexpr,
):
    which = tl.program_id(1)
    group = tl.program_id(2)
    adapter = tl.load(ids_ptr + group).to(tl.int64)
    begin = tl.load(starts_ptr + group) + tl.program_id(0) % token_tiles * M
    end = tl.load(starts_ptr + group + 1)
    first_col = tl.load(bounds_ptr + which) + tl.program_id(0) // token_tiles * N
    last_col = tl.load(bounds_ptr + which + 1)
    if (adapter < 0) | (begin >= end) | (first_col >= last_col):
        return
    place = begin + tl.arange(0, M)
    col = first_col + tl.arange(0, N)
    token = tl.load(order_ptr + place, mask=place < end, other=0).to(tl.int64)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, rank, R):
        r = first + tl.arange(0, R)
        u_inside = (place[:, None] < end) & (r[None, :] < rank)
        b_inside = (r[:, None] < rank) & (col[None, :] < cols)
        u = tl.load(u_ptr + (which * tokens + token[:, None]) * rank + r[None, :], mask=u_inside, other=0.0)
        b = tl.load(b_ptr + (adapter * cols + col[None, :]) * rank + r[:, None], mask=b_inside, other=0.0)
        acc = tl.dot(u.to(b.dtype), b, acc)
    inside = (place[:, None] < end) & (col[None, :] < cols)
    y = y_ptr + token[:, None] * width + before + col[None, :]
    if ADD:
        acc += tl.load(y, mask=inside, other=0.0).to(tl.float32)
    tl.store(y, acc.to(y_ptr.dtype.element_ty), mask=inside)


def forward(
    u: torch.Tensor,
    b: torch.Tensor,
    y: torch.Tensor,
    order: torch.Tensor,
    starts: torch.Tensor,
    ids: torch.Tensor,
    bounds: torch.Tensor,
    before: int,
    add: int,
) -> torch.Tensor:
    slices, tokens, rank = u.shape
    cols, width = b.shape[1], y.shape[1]
    token_tiles = triton.cdiv(tokens, 64)
    lora_expand_kernel[(token_tiles * triton.cdiv(cols, 128), slices, len(ids))](
        u,
        b,
        y,
        order,
        starts,
        ids,
        bounds,
        tokens,
        cols,
        before,
        width,
        rank,
        token_tiles,
        ADD=bool(add),
        M=64,
        N=128,
        R=max(16, min(64, triton.next_power_of_2(rank))),
    )
    return y
