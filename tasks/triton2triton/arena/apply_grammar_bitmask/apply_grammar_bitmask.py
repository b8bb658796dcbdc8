"""Bans the tokens that a grammar forbids, in place: one program for 1024 tokens of a mask."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def grammar_bitmask_kernel(logits_ptr, mask_rows_ptr, bits_ptr, vocab, stride, words, BLOCK: tl.constexpr):
    mask = tl.program_id(0)
    row = tl.load(mask_rows_ptr + mask).to(tl.int64)
    token = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = token < vocab
    word = tl.load(bits_ptr + mask.to(tl.int64) * words + token // 32, mask=inside, other=-1)
    banned = ((word >> (token % 32)) & 1) == 0
    nothing = tl.full([BLOCK], -float("inf"), logits_ptr.dtype.element_ty)
    tl.store(logits_ptr + row * stride + token, nothing, mask=inside & banned)


def forward(logits: torch.Tensor, mask_rows: torch.Tensor, bits: torch.Tensor, vocab: int) -> torch.Tensor:
    masks, words = bits.shape
    grammar_bitmask_kernel[(masks, triton.cdiv(vocab, 1024))](
        logits, mask_rows, bits, vocab, logits.shape[1], words, BLOCK=1024
    )
    return logits
