"""Test whether random outputs follow the right distribution. Any random generator is allowed, so values may differ.

Each sample is mapped to a number between 0 and 1 that is uniform if the distribution is right: the mass of the outcomes
before its own, plus a random part of its own mass. Two orders of the outcomes find two kinds of error: by likelihood,
distributions that are too sharp or too flat; by index, a preference for one end.
"""

from __future__ import annotations

import math

import torch

FALSE_ALARM = 1e-10  # probability per test of a correct sampler; an evaluation makes some hundred tests


def sampling_problem(samples: torch.Tensor, probabilities: torch.Tensor) -> str | None:
    """Return what is wrong with samples [..., count] from distributions [..., outcomes], or None if they fit."""
    rows, outcomes = probabilities.reshape(-1, probabilities.shape[-1]), probabilities.shape[-1]
    drawn = samples.reshape(rows.shape[0], -1).long()
    if outside := int(((drawn < 0) | (drawn >= outcomes)).sum()):
        return f"{outside} of {drawn.numel()} samples are outside the {outcomes} outcomes"
    if impossible := int((rows.gather(1, drawn) == 0).sum()):
        return f"{impossible} of {drawn.numel()} samples have probability 0"
    likeliest = rows.argsort(dim=1, descending=True, stable=True)
    place = likeliest.argsort(dim=1)
    for order, table, places in (
        ("likelihood", rows.gather(1, likeliest), place.gather(1, drawn)),
        ("number", rows, drawn),
    ):
        distance, allowed = _distance(table, places), _allowed(drawn.numel())
        if distance > allowed:
            found = f"distance {distance:.3f} from the distribution, allowed {allowed:.3f}"
            return f"{drawn.numel()} samples, by {order}: {found}"
    return None


def must_differ(probabilities: torch.Tensor, count: int) -> bool:
    """Return whether two independent sets of `count` samples per distribution are almost certain to differ."""
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    return float(rows.square().sum(1).log().sum()) * count < math.log(FALSE_ALARM)


def example(probabilities: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    """Draw samples [..., count] from distributions [..., outcomes]."""
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    drawn = torch.multinomial(rows, count, replacement=True, generator=generator)
    return drawn.reshape(*probabilities.shape[:-1], count)


def _distance(rows: torch.Tensor, drawn: torch.Tensor) -> float:
    """Return the Kolmogorov distance of the mapped samples from the uniform distribution."""
    upto, own = rows.cumsum(1).gather(1, drawn), rows.gather(1, drawn)
    part = torch.rand(drawn.shape, generator=torch.Generator().manual_seed(0), dtype=rows.dtype).to(rows.device)
    numbers = ((upto - part * own) / rows.sum(1, keepdim=True)).reshape(-1).sort().values
    steps = torch.arange(1, numbers.numel() + 1, dtype=rows.dtype, device=rows.device) / numbers.numel()
    above, below = steps - numbers, numbers - steps + 1 / numbers.numel()
    return float(torch.maximum(above, below).max()) if numbers.numel() else 0.0


def _allowed(count: int) -> float:
    """Return the largest distance allowed: Massart's bound, which holds for every count."""
    return math.sqrt(math.log(2 / FALSE_ALARM) / (2 * max(1, count)))
