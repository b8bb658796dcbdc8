"""Top-k and top-p sampling whose samples are drawn by Gumbel's noise: the highest of logit plus noise wins."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def _keys(logits_ptr, allowed_ptr, token, vocab, CONSTRAINED: tl.constexpr):
    """The logits of a block and their order as integers; 0 takes no part."""
    x = tl.load(logits_ptr + token, mask=token < vocab, other=-float("inf")).to(tl.float32)
    if CONSTRAINED:
        allowed = tl.load(allowed_ptr + token, mask=token < vocab, other=0)
        x = tl.where(allowed != 0, x, -float("inf"))
    x = tl.where(x == 0.0, 0.0, x)  # -0 is 0
    bits = x.to(tl.int32, bitcast=True)
    key = tl.where(bits < 0, ~bits, bits | -2147483648).to(tl.uint32, bitcast=True)
    return x, tl.where(x == -float("inf"), 0, key)


@triton.jit
def sample_kernel(
    logits_ptr, temperature_ptr, top_k_ptr, top_p_ptr, allowed_ptr, seed_ptr, tokens_ptr, vocab, samples,
    CONSTRAINED: tl.constexpr, SAMPLES: tl.constexpr, SWEEP: tl.constexpr, RACE: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    logits_ptr += row.to(tl.int64) * vocab
    if CONSTRAINED:
        allowed_ptr += row.to(tl.int64) * vocab
    temperature = tl.load(temperature_ptr + row)
    top_k = tl.load(top_k_ptr + row)
    top_p = tl.load(top_p_ptr + row)

    highest = -float("inf")
    for begin in range(0, vocab, SWEEP):
        x, key = _keys(logits_ptr, allowed_ptr, begin + tl.arange(0, SWEEP), vocab, CONSTRAINED)
        highest = tl.maximum(highest, tl.max(x, axis=0))

    digit = tl.arange(0, 16)
    kth = tl.zeros((), tl.uint32)  # the largest key that top_k tokens reach
    for step in range(0, 8):
        trial = kth | (digit << (28 - 4 * step)).to(tl.uint32)
        count = tl.zeros((16,), tl.int32)
        for begin in range(0, vocab, SWEEP):
            x, key = _keys(logits_ptr, allowed_ptr, begin + tl.arange(0, SWEEP), vocab, CONSTRAINED)
            count += tl.sum((key[None, :] >= trial[:, None]).to(tl.int32), axis=1)
        reached = tl.sum(((digit > 0) & (count >= top_k)).to(tl.int32), axis=0)
        kth = kth | (reached << (28 - 4 * step)).to(tl.uint32)
    kth = tl.maximum(kth, 1)

    total = 0.0
    for begin in range(0, vocab, SWEEP):
        x, key = _keys(logits_ptr, allowed_ptr, begin + tl.arange(0, SWEEP), vocab, CONSTRAINED)
        total += tl.sum(tl.where(key >= kth, tl.exp((x - highest) / temperature), 0.0), axis=0)

    lowest = tl.zeros((), tl.uint32)  # the largest key at or above which lies top_p of the mass
    for step in range(0, 8):
        trial = lowest | (digit << (28 - 4 * step)).to(tl.uint32)
        mass = tl.zeros((16,), tl.float32)
        for begin in range(0, vocab, SWEEP):
            x, key = _keys(logits_ptr, allowed_ptr, begin + tl.arange(0, SWEEP), vocab, CONSTRAINED)
            p = tl.where(key >= kth, tl.exp((x - highest) / temperature), 0.0)
            mass += tl.sum(tl.where(key[None, :] >= trial[:, None], p[None, :], 0.0), axis=1)
        reached = tl.sum(((digit > 0) & (mass >= top_p * total)).to(tl.int32), axis=0)
        lowest = lowest | (reached << (28 - 4 * step)).to(tl.uint32)
    lowest = tl.maximum(lowest, kth)

    seed = tl.load(seed_ptr)
    sample = tl.arange(0, SAMPLES)
    best = tl.full((SAMPLES,), -float("inf"), tl.float32)
    winner = tl.zeros((SAMPLES,), tl.int32)
    for begin in range(0, vocab, RACE):
        token = begin + tl.arange(0, RACE)
        x, key = _keys(logits_ptr, allowed_ptr, token, vocab, CONSTRAINED)
        score = (x - highest) / temperature
        lane = (row * samples + sample).to(tl.int64)[:, None] * vocab + token[None, :]
        u = tl.rand(seed ^ (lane >> 32), (lane & 0xFFFFFFFF).to(tl.uint32))
        noisy = score[None, :] - tl.log(-tl.log(1.0 - u) + 1e-30)
        noisy = tl.where((key >= lowest)[None, :], noisy, -float("inf"))
        highest_here, place = tl.max(noisy, axis=1, return_indices=True)
        winner = tl.where(highest_here > best, begin + place, winner)
        best = tl.maximum(highest_here, best)
    tl.store(tokens_ptr + row * samples + sample, winner.to(tl.int64), mask=sample < samples)


def forward(
    logits: torch.Tensor,
    temperature: torch.Tensor,
    top_k: torch.Tensor,
    top_p: torch.Tensor,
    allowed: torch.Tensor | None,
    seed: torch.Tensor,
    samples: int,
) -> torch.Tensor:
    rows, vocab = logits.shape
    tokens = torch.empty((rows, samples), dtype=torch.int64, device=logits.device)
    all_samples = triton.next_power_of_2(samples)
    sample_kernel[(rows,)](
        logits, temperature, top_k, top_p, allowed, seed, tokens, vocab, samples,
        CONSTRAINED=allowed is not None, SAMPLES=all_samples,
        SWEEP=min(1024, triton.next_power_of_2(vocab)), RACE=max(16, min(8192 // all_samples, 1024)), num_warps=8,
    )  # fmt: skip
    return tokens
