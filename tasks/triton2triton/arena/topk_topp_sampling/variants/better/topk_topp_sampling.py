"""Top-k and top-p sampling: parts of 4096 tokens are narrowed to their own best, then a small program finishes the
row.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

PART = 4096  # tokens a program of the first kernel
ROOM = 128  # candidates a part may write down


@triton.jit
def _keys(logits_ptr, allowed_ptr, token, vocab, CONSTRAINED: tl.constexpr):
    """The logits of a block and their order as integers; 0 takes no part."""
    x = tl.load(logits_ptr + token, mask=token < vocab, other=-float("inf")).to(tl.float32)
    if CONSTRAINED:
        allowed = tl.load(allowed_ptr + token, mask=token < vocab, other=0)
        x = tl.where(allowed != 0, x, -float("inf"))
    return x, _order(x)


@triton.jit
def _order(x):
    x = tl.where(x == 0.0, 0.0, x)  # -0 is 0
    bits = x.to(tl.int32, bitcast=True)
    key = tl.where(bits < 0, ~bits, bits | -2147483648).to(tl.uint32, bitcast=True)
    return tl.where(x == -float("inf"), 0, key)


@triton.jit
def _kth(key, top_k):
    """The largest key that top_k keys of a block in registers reach; at least 1."""
    found = tl.zeros((), tl.uint32)
    for bit in range(0, 32):
        trial = found | (tl.full((), 1, tl.uint32) << (31 - bit))
        count = tl.sum((key >= trial).to(tl.int32), axis=0)
        found = tl.where(count >= top_k, trial, found)
    return tl.maximum(found, 1)


@triton.jit
def _holding(key, mass, wanted):
    """The largest key at or above which lies the wanted mass."""
    found = tl.zeros((), tl.uint32)
    for bit in range(0, 32):
        trial = found | (tl.full((), 1, tl.uint32) << (31 - bit))
        found = tl.where(tl.sum(tl.where(key >= trial, mass, 0.0), axis=0) >= wanted, trial, found)
    return found


@triton.jit
def _times(seed, row, samples, sample, vocab, token, p):
    """When each token of a sample's race arrives: exponential, at the rate p."""
    lane = (row * samples + sample).to(tl.int64)[:, None] * vocab + token[None, :]
    u = tl.rand(seed ^ (lane >> 32), (lane & 0xFFFFFFFF).to(tl.uint32))
    return tl.where((p > 0.0)[None, :], -tl.log(1.0 - u) / p[None, :], float("inf"))


@triton.jit
def narrow_kernel(
    logits_ptr, top_k_ptr, allowed_ptr, candidates_ptr, counts_ptr, vocab, parts,
    CONSTRAINED: tl.constexpr, PART: tl.constexpr, ROOM: tl.constexpr,
):  # fmt: skip
    row, part = tl.program_id(0), tl.program_id(1)
    token = part * PART + tl.arange(0, PART)
    start = row.to(tl.int64) * vocab
    if CONSTRAINED:
        allowed_ptr += start
    _, key = _keys(logits_ptr + start, allowed_ptr, token, vocab, CONSTRAINED)
    keep = key >= _kth(key, tl.load(top_k_ptr + row))
    place = tl.cumsum(keep.to(tl.int32), axis=0) - 1
    tl.store(candidates_ptr + (row * parts + part) * ROOM + place, token, mask=keep & (place < ROOM))
    tl.store(counts_ptr + row * parts + part, tl.sum(keep.to(tl.int32), axis=0))


@triton.jit
def finish_kernel(
    logits_ptr, temperature_ptr, top_k_ptr, top_p_ptr, seed_ptr, tokens_ptr, candidates_ptr, counts_ptr, overflow_ptr,
    vocab, samples, parts, PARTS: tl.constexpr, ROOM: tl.constexpr, SAMPLES: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    all_parts = tl.arange(0, PARTS)
    fullest = tl.max(tl.load(counts_ptr + row * parts + all_parts, mask=all_parts < parts, other=0), axis=0)
    tl.store(overflow_ptr + row, (fullest > ROOM).to(tl.int32))
    if fullest <= ROOM:
        place = tl.arange(0, PARTS * ROOM)
        count = tl.load(counts_ptr + row * parts + place // ROOM, mask=place // ROOM < parts, other=0)
        taken = place % ROOM < count
        token = tl.load(candidates_ptr + row * parts * ROOM + place, mask=taken, other=0)
        x = tl.load(logits_ptr + row.to(tl.int64) * vocab + token, mask=taken, other=-float("inf")).to(tl.float32)
        key = _order(x)
        kth = _kth(key, tl.load(top_k_ptr + row))
        p = tl.exp((x - tl.max(x, axis=0)) / tl.load(temperature_ptr + row))
        p = tl.where(key >= kth, p, 0.0)
        lowest = _holding(key, p, tl.load(top_p_ptr + row) * tl.sum(p, axis=0))
        p = tl.where(key >= lowest, p, 0.0)
        seed = tl.load(seed_ptr)
        for begin in range(0, samples, SAMPLES):
            sample = begin + tl.arange(0, SAMPLES)
            first = tl.argmin(_times(seed, row, samples, sample, vocab, token, p), axis=1)
            winner = tl.sum(tl.where(place[None, :] == first[:, None], token[None, :], 0), axis=1)
            tl.store(tokens_ptr + row * samples + sample, winner.to(tl.int64), mask=sample < samples)


@triton.jit
def sweep_kernel(
    logits_ptr, temperature_ptr, top_k_ptr, top_p_ptr, allowed_ptr, seed_ptr, tokens_ptr, overflow_ptr, vocab, samples,
    CONSTRAINED: tl.constexpr, SAMPLES: tl.constexpr, SWEEP: tl.constexpr, RACE: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    if tl.load(overflow_ptr + row) != 0:
        logits_ptr += row.to(tl.int64) * vocab
        if CONSTRAINED:
            allowed_ptr += row.to(tl.int64) * vocab
        temperature, top_p = tl.load(temperature_ptr + row), tl.load(top_p_ptr + row)
        highest = -float("inf")
        for begin in range(0, vocab, SWEEP):
            x, key = _keys(logits_ptr, allowed_ptr, begin + tl.arange(0, SWEEP), vocab, CONSTRAINED)
            highest = tl.maximum(highest, tl.max(x, axis=0))

        top_k, digit = tl.load(top_k_ptr + row), tl.arange(0, 16)
        kth = tl.zeros((), tl.uint32)
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

        lowest = tl.zeros((), tl.uint32)
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

        seed, sample = tl.load(seed_ptr), tl.arange(0, SAMPLES)
        fastest = tl.full((SAMPLES,), float("inf"), tl.float32)
        winner = tl.zeros((SAMPLES,), tl.int32)
        for begin in range(0, vocab, RACE):
            token = begin + tl.arange(0, RACE)
            x, key = _keys(logits_ptr, allowed_ptr, token, vocab, CONSTRAINED)
            p = tl.where(key >= lowest, tl.exp((x - highest) / temperature), 0.0)
            first, place = tl.min(_times(seed, row, samples, sample, vocab, token, p), axis=1, return_indices=True)
            winner = tl.where(first < fastest, begin + place, winner)
            fastest = tl.minimum(first, fastest)
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
    part = min(PART, triton.next_power_of_2(vocab))
    parts = triton.cdiv(vocab, part)
    candidates = torch.empty((rows, parts, ROOM), dtype=torch.int32, device=logits.device)
    counts = torch.empty((rows, parts), dtype=torch.int32, device=logits.device)
    overflow = torch.empty(rows, dtype=torch.int32, device=logits.device)
    tokens = torch.empty((rows, samples), dtype=torch.int64, device=logits.device)
    narrow_kernel[(rows, parts)](
        logits, top_k, allowed, candidates, counts, vocab, parts,
        CONSTRAINED=allowed is not None, PART=part, ROOM=ROOM, num_warps=8 if part >= 4096 else 4,
    )  # fmt: skip
    all_parts, all_samples = triton.next_power_of_2(parts), triton.next_power_of_2(samples)
    finish_kernel[(rows,)](
        logits, temperature, top_k, top_p, seed, tokens, candidates, counts, overflow, vocab, samples, parts,
        PARTS=all_parts, ROOM=ROOM, SAMPLES=max(1, min(all_samples, 8192 // (all_parts * ROOM))), num_warps=8,
    )  # fmt: skip
    sweep_kernel[(rows,)](
        logits, temperature, top_k, top_p, allowed, seed, tokens, overflow, vocab, samples,
        CONSTRAINED=allowed is not None, SAMPLES=all_samples,
        SWEEP=min(1024, triton.next_power_of_2(vocab)), RACE=max(16, min(8192 // all_samples, 1024)), num_warps=8,
    )  # fmt: skip
    return tokens
