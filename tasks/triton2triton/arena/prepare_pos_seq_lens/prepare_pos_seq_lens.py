"""Positions of a step's tokens and lengths of its requests: one program a request, and one for the rest."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def pos_seq_lens_kernel(
    state_ptr, starts_ptr, computed_ptr, positions_ptr, lengths_ptr, requests, max_requests, BLOCK: tl.constexpr
):
    request = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    if request == requests:
        for first in range(requests, max_requests, BLOCK):
            tl.store(lengths_ptr + first + lanes, tl.zeros([BLOCK], tl.int32), mask=first + lanes < max_requests)
        return
    begin = tl.load(starts_ptr + request)
    count = tl.load(starts_ptr + request + 1) - begin
    computed = tl.load(computed_ptr + tl.load(state_ptr + request))
    tl.store(lengths_ptr + request, computed + count)
    for first in range(0, count, BLOCK):
        place = first + lanes
        tl.store(positions_ptr + begin + place, (computed + place).to(tl.int64), mask=place < count)


def forward(
    state: torch.Tensor, starts: torch.Tensor, computed: torch.Tensor, positions: torch.Tensor, max_requests: int
) -> tuple[torch.Tensor, torch.Tensor]:
    requests = len(state)
    lengths = torch.empty(max_requests, dtype=torch.int32, device=state.device)
    pos_seq_lens_kernel[(requests + 1,)](
        state, starts, computed, positions, lengths, requests, max_requests, BLOCK=1024
    )
    return positions, lengths
