"""Test random outputs that are numbers from a uniform or a normal distribution; any generator is allowed.

A number is mapped to the share of the distribution below it. Between neighbours of its dtype that share is not known,
since a number may be rounded either way: tests take the neighbour that speaks for the output.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from evaluator.judge.independence import FALSE_ALARM, KEPT
from evaluator.tasks.spec import Case, Numbers

GRID = 2.0**-20  # of the distribution: a generator with fewer steps is too coarse, as far as the dtype shows it
TAILS = range(4, 24, 2)  # powers of 2: the shares of the distribution at either end that are counted
FOURTH_MOMENTS = (9 / 5, 15 / 7)  # of the two scores


@dataclass(frozen=True, slots=True)
class NumbersDistribution:
    """A uniform or normal distribution whose numbers are rounded to a dtype."""

    kind: str
    first: float  # the lowest number, or the mean
    second: float  # the number that bounds it, which does not occur, or the standard deviation
    dtype: torch.dtype

    @classmethod
    def of(cls, numbers: Numbers, case: Case, dtype: torch.dtype) -> NumbersDistribution:
        first, second = (float(parameter.value(case.numbers)) for parameter in numbers.parameters)
        return cls(numbers.kind, first, second, dtype)

    def below(self, values: torch.Tensor, step: int = 0) -> torch.Tensor:
        """Return the share of the distribution below each value, or below its neighbour in the dtype (`step` ±1)."""
        values = values.double()
        values = values + step * values.abs() * torch.finfo(self.dtype).eps
        if self.kind == "uniform":
            return ((values - self.first) / (self.second - self.first)).clamp(0, 1)
        share: torch.Tensor = torch.special.ndtr((values - self.first) / self.second)
        return share

    def outside(self, values: torch.Tensor) -> int:
        """Return how many values cannot occur."""
        if self.kind == "normal":
            return 0
        low, high = (torch.tensor(bound, dtype=self.dtype, device=values.device) for bound in (self.first, self.second))
        return int(((values < low) | (values >= high)).sum())

    def scores(self, values: torch.Tensor) -> torch.Tensor:
        """Return two scores of each value: how high it is, and how far from the middle."""
        share = self.below(values)
        both = torch.stack([math.sqrt(12) * (share - 0.5), math.sqrt(5) * (6 * share * (share - 1) + 1)])
        if values.numel() > KEPT:  # then rounding to 16 bits shifts sums visibly; `unlike` tests the mean
            both -= both.mean(1, keepdim=True)
        return both

    def example(self, like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Draw values of the shape and dtype of a tensor."""
        if self.kind == "normal":
            return (torch.randn(like.shape, generator=generator) * self.second + self.first).to(self.dtype)
        spread = torch.rand(like.shape, generator=generator) * (self.second - self.first)
        last = torch.tensor(self.second, dtype=self.dtype)
        return torch.minimum((spread + self.first).to(self.dtype), last.nextafter(torch.full_like(last, self.first)))


def numbers_problem(values: torch.Tensor, distribution: NumbersDistribution, window: slice = slice(KEPT)) -> str | None:
    """Return what is wrong with the numbers of one call, which are finite, each by itself, or None.

    `window`: those that are compared with each other.
    """
    if outside := distribution.outside(values):
        return f"{outside} of {values.numel()} numbers are outside [{distribution.first:g}, {distribution.second:g})"
    return unlike(values, distribution) or _coarse(values[window], distribution)


def unlike(values: torch.Tensor, distribution: NumbersDistribution) -> str | None:
    """Test the distance from the distribution (Kolmogorov's, by Massart's bound) and how much lies in the tails."""
    ordered, count = values.double().sort().values, values.numel()
    upper, lower = distribution.below(ordered, 1), distribution.below(ordered, -1)
    place = torch.arange(count, dtype=torch.float64, device=values.device) / count
    distance = float(torch.maximum(place + 1 / count - upper, lower - place).max())
    allowed = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * count)) + GRID
    if distance > allowed:
        return (
            f"{count} numbers, distance {distance:.4f} from the {distribution.kind} distribution, allowed {allowed:.4f}"
        )
    for share in (2.0**-power for power in TAILS):
        for end, least, most in (("low", upper, lower), ("high", 1 - lower, 1 - upper)):
            expected, exponent = count * share, math.log(4 * len(TAILS) / FALSE_ALARM)
            allowed = exponent / 3 + math.sqrt(exponent**2 / 9 + 2 * expected * exponent) + count * GRID
            fewest, highest = int((least <= share).sum()), int((most <= share).sum())
            if fewest - expected > allowed or expected - highest > allowed:
                return f"{highest} of {count} numbers lie in the {end} tail, where {expected:.0f} are expected"
    return None


def _coarse(values: torch.Tensor, distribution: NumbersDistribution) -> str | None:
    """Test how many values occur again: each step of the grid, or number of the dtype, can be taken for chance."""
    count = values.numel()
    steps = (distribution.below(values, 1) - distribution.below(values, -1)).clamp(min=GRID)
    allowed = count**2 / 2 * float(steps.mean()) + math.sqrt(count * math.log(1 / FALSE_ALARM) / 2)  # McDiarmid
    again = count - 1 - int(values.sort().values.diff().count_nonzero())
    return f"{again} of {count} numbers occur again: too few different values" if again > allowed else None
