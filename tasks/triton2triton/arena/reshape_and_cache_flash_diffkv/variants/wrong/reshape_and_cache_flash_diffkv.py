"""Writes keys and values of new tokens side by side into a paged cache, and does not ask where a value ends."""

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
def reshape_and_cache_diffkv_kernel(
    key_ptr, value_ptr, cache_ptr, slots_ptr, key_scale_ptr, value_scale_ptr, largest,
    key_stride_token, key_stride_head, value_stride_token, value_stride_head, heads, key_dim, value_dim,
    SCALED: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_V: tl.constexpr,
):  # fmt: skip
    token, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    slot = tl.load(slots_ptr + token)
    if slot < 0:
        return
    target = cache_ptr + (slot * heads + head) * (key_dim + value_dim)
    dim = tl.arange(0, BLOCK_K)
    source = key_ptr + token * key_stride_token + head * key_stride_head + dim
    write_row(source, target + dim, key_scale_ptr, largest, dim < key_dim, SCALED)
    dim = tl.arange(0, BLOCK_V)
    source = value_ptr + token * value_stride_token + head * value_stride_head + dim
    write_row(source, target + key_dim + dim, value_scale_ptr, largest, dim < (value_dim + 1) // 2 * 2, SCALED)


def forward(
    key: torch.Tensor,
    value: torch.Tensor,
    cache: torch.Tensor,
    slots: torch.Tensor,
    key_scale: torch.Tensor | None,
    value_scale: torch.Tensor | None,
    largest: float,
) -> torch.Tensor:
    _, heads, key_dim = key.shape
    value_dim = value.shape[2]
    reshape_and_cache_diffkv_kernel[(len(slots), heads)](
        key, value, cache, slots, key_scale, value_scale, largest,
        key.stride(0), key.stride(1), value.stride(0), value.stride(1), heads, key_dim, value_dim,
        SCALED=key_scale is not None,
        BLOCK_K=triton.next_power_of_2(key_dim),
        BLOCK_V=triton.next_power_of_2(value_dim),
    )  # fmt: skip
    return cache
