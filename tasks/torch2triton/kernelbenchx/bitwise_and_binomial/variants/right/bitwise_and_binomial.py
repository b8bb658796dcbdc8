"""One random number a sample, whose place in the cumulative distribution is the number of successes."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def binomial_kernel(
    x_ptr, y_ptr, total, logits_ptr, rows, samples, seed_ptr, counts_ptr,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    sample = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row, mask=row < rows, other=0)
    y = tl.load(y_ptr + row, mask=row < rows, other=0)
    trials = tl.minimum(x & y, total)
    logits = tl.load(logits_ptr + row, mask=row < rows, other=0.0)
    chance, other = tl.sigmoid(logits), tl.sigmoid(-logits)
    rare, often = tl.minimum(chance, other), tl.maximum(chance, other)
    places = row[:, None] * samples + sample[None, :]
    number = tl.rand(tl.load(seed_ptr), places)
    term = tl.full((ROWS,), 1.0, dtype=tl.float32)
    for trial in range(15):
        term = tl.where(trial < trials, term * often, term)
    below = term  # the chance of no success, of at most one, and so on
    counts = tl.zeros((ROWS, BLOCK), dtype=tl.int64)
    for hits in range(15):
        counts += ((number >= below[:, None]) & (hits < trials)[:, None]).to(tl.int64)
        term *= (trials - hits) * rare / ((hits + 1) * often)
        below += term
    counts = tl.where((chance == rare)[:, None], counts, trials[:, None] - counts)
    tl.store(counts_ptr + places, counts, mask=(row[:, None] < rows) & (sample[None, :] < samples))


def forward(
    x: torch.Tensor, y: torch.Tensor, total: int, logits: torch.Tensor, samples: int, seed: torch.Tensor
) -> torch.Tensor:
    x, y, logits = x.contiguous(), y.contiguous(), logits.contiguous()
    counts = torch.empty((len(x), samples), dtype=torch.int64, device=x.device)
    block = min(256, triton.next_power_of_2(samples))
    of_program = 2048 // block
    binomial_kernel[(triton.cdiv(len(x), of_program), triton.cdiv(samples, block))](
        x, y, total, logits, len(x), samples, seed, counts, ROWS=of_program, BLOCK=block
    )
    return counts
