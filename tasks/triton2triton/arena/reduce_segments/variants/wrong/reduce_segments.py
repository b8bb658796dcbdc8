"""Merges an attention's segments, but takes as many as there are tiles, even where a segment has several."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def reduce_segments_kernel(
    part_ptr, highest_ptr, total_ptr, lengths_ptr, starts_ptr, out_ptr,
    requests, segments, head_dim, tile, SEGMENTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    token, head = tl.program_id(0), tl.program_id(1)
    request, behind = 0, requests
    while behind - request > 1:
        middle = (request + behind) // 2
        begun = tl.load(starts_ptr + middle) <= token
        request = tl.where(begun, middle, request)
        behind = tl.where(begun, behind, middle)
    length = tl.load(lengths_ptr + request)
    used = tl.minimum(tl.cdiv(length, tile), segments)

    row = (token.to(tl.int64) * tl.num_programs(1) + head) * segments
    every = tl.arange(0, SEGMENTS)
    scores = tl.load(highest_ptr + row + every, mask=every < used, other=-float("inf"))
    most = tl.max(scores, axis=0)
    most = tl.where(most == -float("inf"), 0.0, most)

    dim = tl.arange(0, BLOCK)
    whole = 0.0
    added = tl.zeros([BLOCK], tl.float32)
    for segment in range(0, used):
        weight = tl.exp(tl.load(highest_ptr + row + segment) - most)
        whole += weight * tl.load(total_ptr + row + segment)
        added += weight * tl.load(part_ptr + (row + segment) * head_dim + dim, mask=dim < head_dim, other=0.0)
    out = added / tl.where(whole == 0.0, 1.0, whole)
    place = out_ptr + (token.to(tl.int64) * tl.num_programs(1) + head) * head_dim + dim
    tl.store(place, out.to(out_ptr.dtype.element_ty), mask=dim < head_dim)


def forward(
    part: torch.Tensor,
    highest: torch.Tensor,
    total: torch.Tensor,
    lengths: torch.Tensor,
    starts: torch.Tensor,
    tile: int,
    out: torch.Tensor,
) -> None:
    tokens, heads, segments, head_dim = part.shape
    reduce_segments_kernel[(tokens, heads)](
        part, highest, total, lengths, starts, out, len(lengths), segments, head_dim, tile,
        SEGMENTS=triton.next_power_of_2(segments), BLOCK=triton.next_power_of_2(head_dim),
    )  # fmt: skip
