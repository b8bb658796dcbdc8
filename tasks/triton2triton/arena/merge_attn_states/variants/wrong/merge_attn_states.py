"""Merges two parts of an attention, but takes an infinite log-sum of the second for a very large one."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def merge_kernel(
    o1_ptr, lse1_ptr, o2_ptr, lse2_ptr, o_ptr, lse_ptr,
    tokens, heads, head_dim, token_stride, head_stride, BLOCK: tl.constexpr,
):  # fmt: skip
    token, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    one = tl.load(lse1_ptr + head * tokens + token)
    two = tl.load(lse2_ptr + head * tokens + token)
    one = tl.where(one == float("inf"), -float("inf"), one)
    higher = tl.maximum(one, two)
    shift = tl.where(higher == -float("inf"), 0.0, higher)
    weight1, weight2 = tl.exp(one - shift), tl.exp(two - shift)
    total = weight1 + weight2
    tl.store(lse_ptr + head * tokens + token, shift + tl.log(total))

    scale = tl.where(total == 0.0, 0.0, 1.0 / total)
    dim = tl.arange(0, BLOCK)
    source = token * token_stride + head * head_stride + dim
    o1 = tl.load(o1_ptr + source, mask=dim < head_dim, other=0.0).to(tl.float32)
    o2 = tl.load(o2_ptr + source, mask=dim < head_dim, other=0.0).to(tl.float32)
    o = weight1 * scale * o1 + weight2 * scale * o2
    target = o_ptr + (token * heads + head) * head_dim + dim
    tl.store(target, o.to(o_ptr.dtype.element_ty), mask=dim < head_dim)


def forward(
    o1: torch.Tensor, lse1: torch.Tensor, o2: torch.Tensor, lse2: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    tokens, heads, head_dim = o1.shape
    o = torch.empty((tokens, heads, head_dim), dtype=o1.dtype, device=o1.device)
    lse = torch.empty_like(lse1)
    merge_kernel[(tokens, heads)](
        o1, lse1, o2, lse2, o, lse,
        tokens, heads, head_dim, o1.stride(0), o1.stride(1), BLOCK=triton.next_power_of_2(head_dim),
    )  # fmt: skip
    return o, lse
