"""Takes sequences out of their padding, but forgets the first sequence among those before it."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def unpack_seq_kernel(
    packed_ptr, lengths_ptr, x_ptr, room, features,
    SEQUENCES: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    sequence = tl.program_id(0)
    length = tl.load(lengths_ptr + sequence)
    if tl.program_id(1) * BLOCK_T >= length:
        return
    place = tl.program_id(1) * BLOCK_T + tl.arange(0, BLOCK_T)
    feature = tl.program_id(2) * BLOCK_D + tl.arange(0, BLOCK_D)
    inside = (place < length)[:, None] & (feature < features)[None, :]
    earlier = tl.arange(0, SEQUENCES)
    start = tl.sum(tl.load(lengths_ptr + earlier, mask=(earlier < sequence) & (earlier > 0), other=0), axis=0)
    source = (sequence.to(tl.int64) * room + place)[:, None] * features + feature[None, :]
    target = (start + place).to(tl.int64)[:, None] * features + feature[None, :]
    tl.store(x_ptr + target, tl.load(packed_ptr + source, mask=inside), mask=inside)


def forward(packed: torch.Tensor, lengths: torch.Tensor, tokens: int) -> torch.Tensor:
    sequences, room, *rest = packed.shape
    x = torch.empty((tokens, *rest), dtype=packed.dtype, device=packed.device)
    features = packed[0, 0].numel()
    grid = (sequences, triton.cdiv(room, 64), triton.cdiv(features, 64))
    unpack_seq_kernel[grid](
        packed, lengths, x, room, features,
        SEQUENCES=triton.next_power_of_2(sequences), BLOCK_T=64, BLOCK_D=64,
    )  # fmt: skip
    return x
