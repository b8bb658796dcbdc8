"""Bans the last token of words that a row has begun, but lets the prompt count as a part of what was written."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def bad_words_kernel(
    logits_ptr, slot_ptr, position_ptr, draft_ptr, words_ptr, starts_ptr, count_ptr, tokens_ptr, prompt_ptr, total_ptr,
    vocab, words, room, length,
):  # fmt: skip
    row, word = tl.program_id(0), tl.program_id(1)
    slot = tl.load(slot_ptr + row).to(tl.int64)
    if word < tl.load(count_ptr + slot):
        begin = tl.load(starts_ptr + slot * (words + 1) + word)
        last = tl.load(starts_ptr + slot * (words + 1) + word + 1) - 1
        position = tl.load(position_ptr + row)
        total = tl.load(total_ptr + slot)
        written = total + position
        ahead = last - begin
        fits = ahead <= written
        if fits:
            for back in range(1, ahead + 1):
                wanted = tl.load(words_ptr + slot * room + last - back)
                is_draft = back <= position
                draft = tl.load(draft_ptr + row - back, mask=is_draft, other=-1)
                older = tl.load(tokens_ptr + slot * length + total + position - back, mask=back > position, other=-1)
                fits = fits & (wanted == tl.where(is_draft, draft, older))
        if fits:
            token = tl.load(words_ptr + slot * room + last)
            tl.store(logits_ptr + row.to(tl.int64) * vocab + token, -float("inf"))


def forward(
    logits: torch.Tensor,
    slot: torch.Tensor,
    position: torch.Tensor,
    draft_ids: torch.Tensor,
    word_tokens: torch.Tensor,
    word_starts: torch.Tensor,
    word_count: torch.Tensor,
    tokens: torch.Tensor,
    prompt_len: torch.Tensor,
    total_len: torch.Tensor,
) -> torch.Tensor:
    rows, vocab = logits.shape
    words = word_starts.shape[1] - 1
    bad_words_kernel[(rows, words)](
        logits, slot, position, draft_ids, word_tokens, word_starts, word_count, tokens, prompt_len, total_len,
        vocab, words, word_tokens.shape[1], tokens.shape[1], num_warps=1,
    )  # fmt: skip
    return logits
