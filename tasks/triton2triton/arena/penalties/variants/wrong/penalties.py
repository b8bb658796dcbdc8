"""Penalties on repeated tokens, but a draft counts for the row before its own only, not for its own row."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def penalties_kernel(
    logits_ptr, slot_ptr, token_ids_ptr, position_ptr, repetition_ptr, frequency_ptr, presence_ptr,
    bits_ptr, counts_ptr, words, vocab, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    slot = tl.load(slot_ptr + row).to(tl.int64)
    repetition = tl.load(repetition_ptr + slot)
    frequency = tl.load(frequency_ptr + slot)
    presence = tl.load(presence_ptr + slot)
    if (repetition != 1.0) | (frequency != 0.0) | (presence != 0.0):
        token = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        inside = token < vocab
        place = logits_ptr + row.to(tl.int64) * vocab + token
        logits = tl.load(place, mask=inside, other=0.0).to(tl.float32)
        count = tl.load(counts_ptr + slot * vocab + token, mask=inside, other=0)
        word = tl.load(bits_ptr + slot * words + token // 32, mask=inside, other=0)
        position = tl.load(position_ptr + row)
        for ahead in range(1, position):
            count += (token == tl.load(token_ids_ptr + row - ahead)).to(tl.int32)
        seen = count > 0
        repeated = seen | (((word >> (token % 32)) & 1) != 0)
        factor = tl.where(logits > 0.0, 1.0 / repetition, repetition)
        logits = tl.where(repeated, logits * factor, logits)
        logits -= frequency * count
        logits -= tl.where(seen, presence, 0.0)
        tl.store(place, logits.to(logits_ptr.dtype.element_ty), mask=inside)


def forward(
    logits: torch.Tensor,
    slot: torch.Tensor,
    token_ids: torch.Tensor,
    position: torch.Tensor,
    repetition: torch.Tensor,
    frequency: torch.Tensor,
    presence: torch.Tensor,
    prompt_bits: torch.Tensor,
    output_counts: torch.Tensor,
) -> torch.Tensor:
    rows, vocab = logits.shape
    penalties_kernel[(rows, triton.cdiv(vocab, 1024))](
        logits, slot, token_ids, position, repetition, frequency, presence,
        prompt_bits, output_counts, prompt_bits.shape[1], vocab, BLOCK=1024,
    )  # fmt: skip
    return logits
