"""Random numbers for windows, none of which begins so close to a step that the rounding of float32 could move it."""

from __future__ import annotations

import torch

NEAREST = 2.5e-4  # to a whole number; float32 errs by at most 6e-5 where images have up to 512 pixels
RANGES = {"low": (0.0, 0.25), "high": (0.75, 1.0)}


def draw(axes, name, generator):
    low, high = RANGES.get(name, (0.0, 1.0))
    shape = (axes["batch"], axes["channels"])
    each = [_numbers(axes, size, count, shape, low, high, generator) for size, count in _sides(axes)]
    return {"samples": torch.stack(each, dim=2)}


def _sides(axes):
    """The first number of a pair is for the columns, the second for the rows."""
    return ((axes["width"], axes["across"]), (axes["height"], axes["down"]))


def _numbers(axes, size, count, shape, low, high, generator):
    step = (size - axes["kernel"]) / (count - 1)
    windows = torch.arange(count - 1, dtype=torch.float64, device=generator.device)
    numbers = torch.full(shape, -1.0, device=generator.device)
    while bool((missing := numbers < 0).any()):
        fresh = low + (high - low) * torch.rand(shape, generator=generator, device=generator.device)
        starts = (windows + fresh.double()[..., None]) * step
        clear = ((starts - starts.round()).abs() > NEAREST).all(-1)
        numbers = torch.where(missing & clear & (fresh < 1), fresh, numbers)
    return numbers
