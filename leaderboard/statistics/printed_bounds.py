"""What a printed row of speedups allows: bounds that follow from its mean, its quantiles and its fast_p.

Nothing is known of single tasks. But sorted, x[1] ≤ … ≤ x[K], each is bounded by the quantiles on either side of it and
by how many tasks are at least p times as fast, and all of them add up to K times the mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, floor, fsum, log, sqrt

HALF_DIGIT = 0.005  # speedups are printed with two decimals
STEPS = 100  # of a bisection
NO_BOUND = 1e9


@dataclass(frozen=True, slots=True)
class RowBounds:
    """Of a row that is printed; standard deviations are over tasks (n − 1)."""

    sd_least: float
    sd_most: float
    geometric_most: float
    largest_least: float  # of the fastest task's speedup
    largest_most: float


def rank_below(tasks: int, share: float, *, is_exclusive: bool = False) -> tuple[int, float]:
    """The position of a quantile among sorted tasks, counted from 1: its whole part and the rest.

    Linear: at 1 + (K − 1)·p; exclusive: at (K + 1)·p.
    """
    position = (tasks + 1) * share if is_exclusive else 1 + (tasks - 1) * share
    whole = floor(position + 1e-9)
    return whole, max(0.0, position - whole)


def contradicts(tasks: int, share: float, quantile: float, p: float, fast: int, *, is_exclusive: bool) -> bool:
    """Whether a printed quantile cannot be of tasks of which so many are at least p times as fast."""
    below, rest = rank_below(tasks, share, is_exclusive=is_exclusive)
    least = tasks - below + (rest < 1e-9)
    if quantile - HALF_DIGIT >= p:
        return fast < least  # x[below + 1] is at least p
    return quantile + HALF_DIGIT <= p and fast > tasks - below  # x[below] is less than p


def bounds(
    tasks: int, mean: float, sd: float, quantiles: Mapping[float, float], fast: Mapping[int, int], failures: int = 0
) -> RowBounds:
    """RowBounds of a row. `fast`: p → tasks with a mean of at least p; `failures`: wrong results of three runs."""
    low, high = _ends(tasks, quantiles, fast)
    total = tasks * mean
    even = _filled(low, high, total)
    rest = total - fsum(low)
    squares = fsum(one * one for one in low[:-1]) + (low[-1] + rest) ** 2
    geometric = [_geometric(_filled(low[n:], high[n:], total)) for n in range(failures // 3 + 1)]  # n never correct
    return RowBounds(
        sd_least=sqrt(fsum((one - mean) ** 2 for one in even) / (tasks - 1)),
        sd_most=sqrt(max(0.0, squares - tasks * mean * mean) / (tasks - 1)),
        geometric_most=max(geometric),
        largest_least=(sd * sd * (tasks - 1) / tasks + mean * mean) / mean,
        largest_most=min(low[-1] + rest, mean + sd * (tasks - 1) / sqrt(tasks)),
    )


def _ends(
    tasks: int, quantiles: Mapping[float, float], fast: Mapping[int, int]
) -> tuple[Sequence[float], Sequence[float]]:
    """The least and the most that each of the sorted tasks can have."""
    low, high = [0.0] * tasks, [NO_BOUND] * tasks
    for p, count in fast.items():
        for at in range(tasks):
            if at >= tasks - count:
                low[at] = max(low[at], float(p))
            else:
                high[at] = min(high[at], float(p))
    for share, quantile in quantiles.items():
        below, rest = rank_below(tasks, share)
        for at in range(tasks):
            if at < below:
                high[at] = min(high[at], quantile + HALF_DIGIT)
            else:
                low[at] = max(low[at], quantile - HALF_DIGIT)
        if rest > 0:  # x[below + 1] is what the other neighbour leaves
            above = (quantile + HALF_DIGIT - (1 - rest) * low[below - 1]) / rest
            high[below] = min(high[below], above)
    return low, high


def _filled(low: Sequence[float], high: Sequence[float], total: float) -> list[float]:
    """Numbers with this sum, each within its ends and else as equal as possible."""
    bottom, top = 0.0, total
    for _ in range(STEPS):
        level = (bottom + top) / 2
        is_short = fsum(_clamped(level, low, high)) < total
        bottom, top = (level, top) if is_short else (bottom, level)
    return _clamped(bottom, low, high)


def _clamped(level: float, low: Sequence[float], high: Sequence[float]) -> list[float]:
    return [min(max(level, least), most) for least, most in zip(low, high, strict=True)]


def _geometric(values: Sequence[float]) -> float:
    return exp(fsum(map(log, values)) / len(values))
