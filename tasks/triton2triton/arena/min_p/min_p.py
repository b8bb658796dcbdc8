"""Bans tokens far less likely than the best: one program a row, which looks for the highest logit, then filters."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def min_p_kernel(logits_ptr, slot_ptr, min_p_ptr, vocab, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    min_p = tl.load(min_p_ptr + tl.load(slot_ptr + row))
    if min_p > 0.0:
        logits_ptr += row.to(tl.int64) * vocab
        lanes = tl.arange(0, BLOCK)
        highest = tl.full([BLOCK], -float("inf"), tl.float32)
        for first in range(0, vocab, BLOCK):
            token = first + lanes
            logits = tl.load(logits_ptr + token, mask=token < vocab, other=-float("inf"))
            highest = tl.maximum(highest, logits.to(tl.float32))
        limit = tl.max(highest, axis=0) + tl.log(min_p)
        for first in range(0, vocab, BLOCK):
            token = first + lanes
            logits = tl.load(logits_ptr + token, mask=token < vocab, other=0.0)
            kept = tl.where(logits.to(tl.float32) < limit, -float("inf"), logits)
            tl.store(logits_ptr + token, kept.to(logits.dtype), mask=token < vocab)


def forward(logits: torch.Tensor, slot: torch.Tensor, min_p: torch.Tensor) -> torch.Tensor:
    rows, vocab = logits.shape
    min_p_kernel[(rows,)](logits, slot, min_p, vocab, BLOCK=1024)
    return logits
