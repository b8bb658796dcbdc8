"""The rank of one token in each row of logits: one program a row, which counts 1024 logits at a time."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def ranks_kernel(logits_ptr, token_ids_ptr, ranks_ptr, vocab, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    logits_ptr += row.to(tl.int64) * vocab
    chosen = tl.load(logits_ptr + tl.load(token_ids_ptr + row)).to(tl.float32)
    count = tl.zeros([BLOCK], tl.int32)
    for first in range(0, vocab, BLOCK):
        token = first + tl.arange(0, BLOCK)
        inside = token < vocab
        logits = tl.load(logits_ptr + token, mask=inside, other=0.0).to(tl.float32)
        count += (inside & (logits >= chosen)).to(tl.int32)
    tl.store(ranks_ptr + row, tl.sum(count, axis=0).to(tl.int64))


def forward(logits: torch.Tensor, token_ids: torch.Tensor) -> torch.Tensor:
    rows, vocab = logits.shape
    ranks = torch.empty(rows, dtype=torch.int64, device=logits.device)
    ranks_kernel[(rows,)](logits, token_ids, ranks, vocab, BLOCK=1024)
    return ranks
