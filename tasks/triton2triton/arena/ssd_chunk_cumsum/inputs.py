"""Tokens in chunks of which some are short or empty, since a chunk ends where its sequence does."""

from __future__ import annotations

import torch

WIDE = (-30.0, -2.0, 0.25, 19.5, 21.0)  # on either side of where softplus is its own argument


def draw(axes, name, generator):
    shape = (axes["tokens"], axes["heads"])
    options = {"generator": generator, "device": generator.device}
    dt = 0.3 + 0.7 * torch.randn(shape, **options)
    if name == "outlier":
        dt = torch.where(torch.rand(shape, **options) < 0.01, 20 * dt, dt)
    if name == "wide":
        dt = torch.tensor(WIDE, device=generator.device)[torch.randint(len(WIDE), shape, **options)]
    lengths = torch.tensor(_lengths(axes, name, options), device=generator.device)
    return {"dt": dt, "starts": torch.nn.functional.pad(lengths.cumsum(0), (1, 0))}


def _lengths(axes, name, options):
    """Return lengths up to `chunk` that add up to all tokens; of few chunks all the room, or of all of them a share."""
    tokens, chunks, chunk = axes["tokens"], axes["chunks"], axes["chunk"]
    if name == "even":
        return [tokens // chunks + (number < tokens % chunks) for number in range(chunks)]
    left, lengths = chunks * chunk - tokens, [chunk] * chunks
    wanted = (torch.rand(chunks, **options) * (chunk + 1)).long().clamp(max=chunk).tolist()
    order = torch.randperm(chunks, **options).tolist()
    for amounts in (wanted, [chunk] * chunks):
        for number in order:
            taken = min(left, amounts[number], lengths[number])
            lengths[number], left = lengths[number] - taken, left - taken
    return lengths
