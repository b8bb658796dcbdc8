"""Writes keys and values of new tokens into their slots of a paged cache, one of the two with the other's scale."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def write_row(source, target, scale_ptr, largest, inside, SCALED: tl.constexpr):
    value = tl.load(source, mask=inside, other=0.0).to(tl.float32)
    if SCALED:
        value = value / tl.load(scale_ptr)
    value = tl.clamp(value, -largest, largest)
    tl.store(target, value.to(target.dtype.element_ty), mask=inside)


@triton.jit
def reshape_and_cache_kernel(
    key_ptr, value_ptr, key_cache_ptr, value_cache_ptr, slots_ptr, key_scale_ptr, value_scale_ptr, largest,
    key_stride_token, key_stride_head, value_stride_token, value_stride_head, heads, head_dim,
    SCALED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    token = tl.program_id(0).to(tl.int64)
    slot = tl.load(slots_ptr + token)
    if slot < 0:
        return
    size = heads * head_dim
    for first in range(0, size, BLOCK):
        place = first + tl.arange(0, BLOCK)
        inside = place < size
        head, dim = place // head_dim, place % head_dim
        key = key_ptr + token * key_stride_token + head * key_stride_head + dim
        value = value_ptr + token * value_stride_token + head * value_stride_head + dim
        write_row(key, key_cache_ptr + slot * size + place, key_scale_ptr, largest, inside, SCALED)
        write_row(value, value_cache_ptr + slot * size + place, key_scale_ptr, largest, inside, SCALED)


def forward(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slots: torch.Tensor,
    key_scale: torch.Tensor | None,
    value_scale: torch.Tensor | None,
    largest: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    _, heads, head_dim = key.shape
    reshape_and_cache_kernel[(len(slots),)](
        key, value, key_cache, value_cache, slots, key_scale, value_scale, largest,
        key.stride(0), key.stride(1), value.stride(0), value.stride(1), heads, head_dim,
        SCALED=key_scale is not None, BLOCK=min(1024, triton.next_power_of_2(heads * head_dim)),
    )  # fmt: skip
    return key_cache, value_cache
