"""Pearson's correlation of two columns over tasks, with Fisher's interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, sqrt, tanh

import numpy as np

from leaderboard.statistics.limits import MIN_TASKS_FOR_COMPARISON, Interval, too_few
from leaderboard.statistics.rates import Z_95
from leaderboard.statistics.results import Numbers

ROUNDING = 1e-12  # of a value
CONSTANT = "One of the two is the same on every task."


@dataclass(frozen=True, slots=True)
class Correlation:
    r: float | None
    interval: Interval | None  # None where |r| is 1
    tasks: int
    refused: str | None


def correlation(first: Numbers, second: Numbers) -> Correlation:
    """Pearson's r with the 95 % interval tanh(artanh r ± z/√(n − 3)), or the reason why there is none."""
    n = len(first)
    refused = too_few(n, MIN_TASKS_FOR_COMPARISON, "A correlation needs")
    if refused is None and (_is_constant(first) or _is_constant(second)):
        refused = CONSTANT
    if refused:
        return Correlation(None, None, n, refused)
    a, b = first - first.mean(), second - second.mean()
    r = float(np.clip((a @ b) / sqrt(float(a @ a) * float(b @ b)), -1, 1))
    return Correlation(r, _fisher(r, n) if abs(r) < 1 else None, n, None)


def _is_constant(values: Numbers) -> bool:
    """Whether they differ by no more than rounding: means of shares of runs do, whose sums are equal."""
    least, most = float(values.min()), float(values.max())
    return most - least <= ROUNDING * max(abs(least), abs(most))


def _fisher(r: float, n: int) -> Interval:
    half = Z_95 / sqrt(n - 3)
    return Interval(tanh(atanh(r) - half), tanh(atanh(r) + half))
