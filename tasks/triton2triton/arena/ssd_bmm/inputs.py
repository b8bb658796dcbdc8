"""Chunks of a sequence, most of them full and some of them short, whose lengths add up to all tokens."""

from __future__ import annotations

import math

import torch


def draw(axes, name, generator):
    chunks, chunk, tokens = axes["chunks"], axes["chunk"], axes["tokens"]
    options = {"generator": generator, "device": generator.device}
    order, shares = torch.randperm(chunks, **options).tolist(), torch.rand(chunks, **options).tolist()
    if name == "short_at_the_end":
        order, shares = range(chunks - 1, -1, -1), [1.0] * chunks
    if name == "even":
        shares = [(chunk - tokens // chunks) / max(1, chunk - 1)] * chunks
    lengths, missing = [chunk] * chunks, chunks * chunk - tokens
    for part in (shares, [1.0] * chunks):
        for number, share in zip(order, part, strict=True):
            cut = min(missing, math.ceil(share * (lengths[number] - 1)))
            lengths[number] -= cut
            missing -= cut
    starts = torch.tensor(lengths, device=generator.device).cumsum(0)
    return {"starts": torch.nn.functional.pad(starts, (1, 0))}
