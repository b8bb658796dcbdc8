"""Takes a step's sampled tokens into the states of their requests, but loses one of two equal tokens."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def post_update_kernel(
    state_ptr, sampled_ptr, sampled_len_ptr, rejected_ptr, starts_ptr,
    computed_ptr, last_ptr, counts_ptr, ids_ptr, length_ptr, room, vocab, width, ROOM: tl.constexpr,
):  # fmt: skip
    request = tl.program_id(0)
    state = tl.load(state_ptr + request).to(tl.int64)
    length = tl.load(length_ptr + state)
    sampled_len = tl.load(sampled_len_ptr + request)
    sampled = sampled_ptr + request * room
    if sampled_len > 0:
        tl.store(last_ptr + state, tl.load(sampled + sampled_len - 1))
        tl.store(length_ptr + state, length + sampled_len)
    place = tl.arange(0, ROOM)
    token = tl.load(sampled + place, mask=place < sampled_len)
    tl.store(ids_ptr + state * width + length + place, token, mask=place < sampled_len)
    count = tl.load(counts_ptr + state * vocab + token, mask=place < sampled_len)
    tl.store(counts_ptr + state * vocab + token, count + 1, mask=place < sampled_len)
    queries = tl.load(starts_ptr + request + 1) - tl.load(starts_ptr + request)
    computed = tl.load(computed_ptr + state)
    tl.store(computed_ptr + state, computed + queries - tl.load(rejected_ptr + request))


def forward(
    state: torch.Tensor,
    sampled: torch.Tensor,
    sampled_len: torch.Tensor,
    rejected: torch.Tensor,
    starts: torch.Tensor,
    computed: torch.Tensor,
    last_token: torch.Tensor,
    counts: torch.Tensor,
    all_ids: torch.Tensor,
    length: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    requests, room = sampled.shape
    post_update_kernel[(requests,)](
        state, sampled, sampled_len, rejected, starts,
        computed, last_token, counts, all_ids, length, room, counts.shape[1], all_ids.shape[1],
        ROOM=triton.next_power_of_2(room), num_warps=1,
    )  # fmt: skip
    return computed, last_token, counts, all_ids, length
