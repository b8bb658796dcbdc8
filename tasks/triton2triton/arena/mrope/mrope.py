"""Rotary embedding by positions in three dimensions: one program a token, all heads in one tile."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def rotate_heads(row, heads, head_dim, half, c, s, HEADS: tl.constexpr, HALF: tl.constexpr):
    head, i = tl.arange(0, HEADS), tl.arange(0, HALF)
    inside = (head < heads)[:, None] & (i < half)[None, :]
    first = row + head[:, None] * head_dim + i[None, :]
    x1 = tl.load(first, mask=inside, other=0.0).to(tl.float32)
    x2 = tl.load(first + half, mask=inside, other=0.0).to(tl.float32)
    tl.store(first, (x1 * c - x2 * s).to(row.dtype.element_ty), mask=inside)
    tl.store(first + half, (x2 * c + x1 * s).to(row.dtype.element_ty), mask=inside)


@triton.jit
def mrope_kernel(
    q_ptr, k_ptr, cos_ptr, sin_ptr, tokens, q_heads, k_heads, head_dim, half, section_t, section_h, section_w,
    INTERLEAVED: tl.constexpr, Q_HEADS: tl.constexpr, K_HEADS: tl.constexpr, HALF: tl.constexpr,
):  # fmt: skip
    token = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, HALF)
    if INTERLEAVED:
        is_height = (i % 3 == 1) & (i < 3 * section_h)
        is_width = (i % 3 == 2) & (i < 3 * section_w)
    else:
        is_height = (i >= section_t) & (i < section_t + section_h)
        is_width = i >= section_t + section_h
    plane = tl.where(is_height, 1, tl.where(is_width, 2, 0))
    place = (plane * tokens + token) * half + i
    c = tl.load(cos_ptr + place, mask=i < half, other=0.0).to(tl.float32)[None, :]
    s = tl.load(sin_ptr + place, mask=i < half, other=0.0).to(tl.float32)[None, :]
    rotate_heads(q_ptr + token * q_heads * head_dim, q_heads, head_dim, half, c, s, Q_HEADS, HALF)
    rotate_heads(k_ptr + token * k_heads * head_dim, k_heads, head_dim, half, c, s, K_HEADS, HALF)


def forward(
    q: torch.Tensor,
    k: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    section_t: int,
    section_h: int,
    section_w: int,
    head_dim: int,
    interleaved: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    tokens, half = cos.shape[1:]
    q_heads, k_heads = q.shape[1] // head_dim, k.shape[1] // head_dim
    mrope_kernel[(tokens,)](
        q, k, cos, sin, tokens, q_heads, k_heads, head_dim, half, section_t, section_h, section_w,
        INTERLEAVED=bool(interleaved),
        Q_HEADS=triton.next_power_of_2(q_heads),
        K_HEADS=triton.next_power_of_2(k_heads),
        HALF=triton.next_power_of_2(half),
    )  # fmt: skip
    return q, k
