"""Log-probabilities of some tokens, but the highest logit is added to the logarithm and so loses its digits."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def token_log_softmax_kernel(logits_ptr, ids_ptr, out_ptr, vocab, chosen, BLOCK: tl.constexpr, CHOSEN: tl.constexpr):
    row = tl.program_id(0)
    logits_ptr += row.to(tl.int64) * vocab
    highest = tl.full([BLOCK], -float("inf"), tl.float32)
    for first in range(0, vocab, BLOCK):
        token = first + tl.arange(0, BLOCK)
        logits = tl.load(logits_ptr + token, mask=token < vocab, other=-float("inf")).to(tl.float32)
        highest = tl.maximum(highest, logits)
    most = tl.max(highest, axis=0)
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, vocab, BLOCK):
        token = first + tl.arange(0, BLOCK)
        logits = tl.load(logits_ptr + token, mask=token < vocab, other=-float("inf")).to(tl.float32)
        total += tl.exp(logits - most)
    logarithm = tl.log(tl.sum(total, axis=0))
    place = tl.arange(0, CHOSEN)
    token = tl.load(ids_ptr + row * chosen + place, mask=place < chosen, other=0)
    logits = tl.load(logits_ptr + token, mask=place < chosen, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * chosen + place, logits - (most + logarithm), mask=place < chosen)


def forward(logits: torch.Tensor, token_ids: torch.Tensor) -> torch.Tensor:
    rows, vocab = logits.shape
    chosen = token_ids.shape[1]
    out = torch.empty((rows, chosen), dtype=torch.float32, device=logits.device)
    token_log_softmax_kernel[(rows,)](
        logits, token_ids, out, vocab, chosen, BLOCK=1024, CHOSEN=triton.next_power_of_2(chosen)
    )
    return out
