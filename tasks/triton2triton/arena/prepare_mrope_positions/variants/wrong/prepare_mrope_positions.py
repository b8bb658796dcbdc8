"""Positions in three dimensions of a step's tokens, read from the beginning of each prompt."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def mrope_positions_kernel(
    state_ptr, starts_ptr, prompt_len_ptr, computed_ptr, delta_ptr, table_ptr, positions_ptr,
    width, room, BLOCK: tl.constexpr,
):  # fmt: skip
    request = tl.program_id(0)
    state = tl.load(state_ptr + request).to(tl.int64)
    begin = tl.load(starts_ptr + request)
    count = tl.load(starts_ptr + request + 1) - begin
    computed = tl.load(computed_ptr + state)
    is_prompt = computed < tl.load(prompt_len_ptr + state)
    delta = tl.load(delta_ptr + state)
    for first in range(0, count, BLOCK):
        place = first + tl.arange(0, BLOCK)
        inside = place < count
        for plane in range(3):
            position = computed + place + delta
            if is_prompt:
                row = table_ptr + (3 * state + plane) * width
                position = tl.load(row + place, mask=inside, other=0)
            tl.store(positions_ptr + plane * room + begin + place, position.to(tl.int64), mask=inside)


def forward(
    state: torch.Tensor,
    starts: torch.Tensor,
    prompt_len: torch.Tensor,
    computed: torch.Tensor,
    delta: torch.Tensor,
    table: torch.Tensor,
    positions: torch.Tensor,
) -> torch.Tensor:
    mrope_positions_kernel[(len(state),)](
        state, starts, prompt_len, computed, delta, table, positions,
        table.shape[2], positions.shape[1], BLOCK=1024,
    )  # fmt: skip
    return positions
