"""Cosines and sines of tokens in texts and images: positions times the usual falling frequencies."""

from __future__ import annotations

import torch

BASE = 1_000_000.0


def draw(axes, name, generator):
    tokens = axes["tokens"]
    half = axes["section_t"] + axes["section_h"] + axes["section_w"]
    options = {"generator": generator, "device": generator.device}
    time = torch.randint(32768, (tokens,), **options)
    is_text = torch.rand(tokens, **options) < (1 if name == "text_only" else 0.4)
    beside = torch.randint(100, (2, tokens), **options)  # how far into its image a token lies
    positions = torch.stack([time, *torch.where(is_text, 0, beside) + time]).double()
    if name == "origin":
        positions = torch.zeros_like(positions)
    frequency = BASE ** (-torch.arange(half, dtype=torch.float64, device=generator.device) / half)
    angle = positions[:, :, None] * frequency
    return {"cos": angle.cos().float(), "sin": angle.sin().float()}
