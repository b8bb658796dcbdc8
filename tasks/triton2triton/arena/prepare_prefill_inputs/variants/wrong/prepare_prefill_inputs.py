"""Copies the next chunk of each prompt into a step's input, and takes the last chunk for one that goes on."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def prefill_inputs_kernel(
    state_ptr, starts_ptr, prompt_len_ptr, computed_ptr, ids_ptr, input_ptr, next_ptr, width, BLOCK: tl.constexpr
):
    request = tl.program_id(0)
    state = tl.load(state_ptr + request).to(tl.int64)
    prompt_len = tl.load(prompt_len_ptr + state)
    computed = tl.load(computed_ptr + state)
    if computed >= prompt_len:
        return
    begin = tl.load(starts_ptr + request)
    count = tl.load(starts_ptr + request + 1) - begin
    ids = ids_ptr + state * width + computed
    for first in range(0, count, BLOCK):
        place = first + tl.arange(0, BLOCK)
        token = tl.load(ids + place, mask=place < count)
        tl.store(input_ptr + begin + place, token, mask=place < count)
    if computed + count <= prompt_len:
        tl.store(next_ptr + state, tl.load(ids + count, mask=computed + count < width, other=0))


def forward(
    state: torch.Tensor,
    starts: torch.Tensor,
    prompt_len: torch.Tensor,
    computed: torch.Tensor,
    all_ids: torch.Tensor,
    input_ids: torch.Tensor,
    next_token: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    prefill_inputs_kernel[(len(state),)](
        state, starts, prompt_len, computed, all_ids, input_ids, next_token, all_ids.shape[1], BLOCK=1024
    )
    return input_ids, next_token
