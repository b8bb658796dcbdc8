"""Bits of prompt tokens and counts of produced tokens: rows are cleared, then every token is one atomic."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def clear_kernel(slot_ptr, bits_ptr, counts_ptr, words, vocab, BLOCK: tl.constexpr):
    slot = tl.load(slot_ptr + tl.program_id(0)).to(tl.int64)
    place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    zeros = tl.zeros([BLOCK], dtype=tl.int32)
    tl.store(counts_ptr + slot * vocab + place, zeros, mask=place < vocab)
    tl.store(bits_ptr + slot * words + place, zeros, mask=place < words)


@triton.jit
def count_kernel(
    slot_ptr, tokens_ptr, prompt_ptr, filled_ptr, bits_ptr, counts_ptr, length, words, vocab, BLOCK: tl.constexpr
):
    request = tl.program_id(0)
    slot = tl.load(slot_ptr + request).to(tl.int64)
    prompt, filled = tl.load(prompt_ptr + request), tl.load(filled_ptr + request)
    place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    is_prompt = place < prompt
    is_output = (place >= prompt) & (place < filled)
    token = tl.load(tokens_ptr + request.to(tl.int64) * length + place, mask=is_prompt | is_output, other=0)
    bit = tl.full([BLOCK], 1, dtype=tl.int32) << (token % 32)
    tl.atomic_or(bits_ptr + slot * words + token // 32, bit, mask=is_prompt)
    tl.atomic_add(counts_ptr + slot * vocab + token, 1, mask=is_output)


def forward(
    slot: torch.Tensor,
    tokens: torch.Tensor,
    prompt_len: torch.Tensor,
    filled_len: torch.Tensor,
    bits: torch.Tensor,
    counts: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    requests, length = tokens.shape
    words, vocab = bits.shape[1], counts.shape[1]
    clear_kernel[(requests, triton.cdiv(vocab, 1024))](slot, bits, counts, words, vocab, BLOCK=1024)
    count_kernel[(requests, triton.cdiv(length, 1024))](
        slot, tokens, prompt_len, filled_len, bits, counts, length, words, vocab, BLOCK=1024
    )
    return bits, counts
