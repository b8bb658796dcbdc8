"""Pads sequences to one length, with zeros behind the last token of a row's last block."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def pack_seq_kernel(
    x_ptr, lengths_ptr, packed_ptr, pad_ptr, room, features,
    SEQUENCES: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    sequence = tl.program_id(0)
    place = tl.program_id(1) * BLOCK_T + tl.arange(0, BLOCK_T)
    feature = tl.program_id(2) * BLOCK_D + tl.arange(0, BLOCK_D)
    earlier = tl.arange(0, SEQUENCES)
    start = tl.sum(tl.load(lengths_ptr + earlier, mask=earlier < sequence, other=0), axis=0)
    length = tl.load(lengths_ptr + sequence)
    has_feature = (feature < features)[None, :]
    source = (start + place).to(tl.int64)[:, None] * features + feature[None, :]
    value = tl.load(x_ptr + source, mask=(place < length)[:, None] & has_feature, other=0.0)
    value = tl.where((tl.program_id(1) * BLOCK_T < length) | (place < length)[:, None], value, tl.load(pad_ptr))
    target = (sequence.to(tl.int64) * room + place)[:, None] * features + feature[None, :]
    tl.store(packed_ptr + target, value, mask=(place < room)[:, None] & has_feature)


def forward(x: torch.Tensor, lengths: torch.Tensor, room: int, pad: torch.Tensor) -> torch.Tensor:
    sequences, features = len(lengths), x[0].numel()
    packed = torch.empty((sequences, room, *x.shape[1:]), dtype=x.dtype, device=x.device)
    grid = (sequences, triton.cdiv(room, 64), triton.cdiv(features, 64))
    pack_seq_kernel[grid](
        x, lengths, packed, pad, room, features,
        SEQUENCES=triton.next_power_of_2(sequences), BLOCK_T=64, BLOCK_D=64,
    )  # fmt: skip
    return packed
