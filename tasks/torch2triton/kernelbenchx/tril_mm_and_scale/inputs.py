"""Matrices of which only the lower triangle counts: with infinity above the diagonal, and with opposite columns."""

from __future__ import annotations

import math

import torch


def draw(axes, name, generator):
    size = axes["size"]
    a = torch.randn((size, size), generator=generator, device=generator.device)
    if name == "outlier":
        a = torch.where(torch.rand(a.shape, generator=generator, device=a.device) < 0.001, 20 * a, a)
    if name == "infinite_above":
        a = torch.where(torch.ones_like(a).tril() > 0, a, a * float("inf"))
    if name == "apart":  # opposite columns some way from each other: sums nearly cancel, and are exact in float32
        run = int(math.sqrt(size) / 4) | 1
        place = torch.arange(size, device=a.device)
        numbers = torch.randint(32, 64, (size,), generator=generator, device=a.device) / 32
        numbers = numbers[place // (2 * run) * run + place % run]
        signs = torch.where(place % (2 * run) < run, 1.0, -1.0)
        whole = (place + 1) // (2 * run) * (2 * run)  # of each row: no column without its opposite
        a = torch.where(place[None, :] < whole[:, None], signs * numbers, 0.0)
    return {"a": a}
