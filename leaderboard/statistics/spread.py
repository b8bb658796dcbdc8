"""How speedups spread over the tasks of a board: quantiles with their intervals, and curves with bootstrap bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from leaderboard.statistics.answers import Numbers
from leaderboard.statistics.limits import (
    QUANTILE_INTERVAL_FROM_TASKS,
    TAIL,
    Interval,
    too_few,
)

Method = Literal["linear", "exclusive"]
QUANTILES = {"p25": 0.25, "median": 0.5, "p75": 0.75, "p90": 0.9}
ROUNDING = 1e-12  # what a sum of probabilities may lack
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Quantile:
    value: float
    interval: Interval | None
    refused: str | None


@dataclass(frozen=True, slots=True)
class Distribution:
    """Of the tasks' run means s[k]; `method` says how quantiles between two tasks are read."""

    tasks: int
    task_sd: float | None
    smallest: float
    p25: Quantile
    median: Quantile
    p75: Quantile
    p90: Quantile
    largest: float
    method: Method


@dataclass(frozen=True, slots=True)
class Curve:
    """Shares at `points`, with the pointwise 95 % band over tasks like these."""

    points: tuple[float, ...]
    shares: tuple[float, ...]
    low: tuple[float, ...] | None
    high: tuple[float, ...] | None


def distribution(per_task: Numbers, method: Method = "linear") -> Distribution:
    found = {name: quantile(per_task, share, method) for name, share in QUANTILES.items()}
    return Distribution(
        tasks=len(per_task),
        task_sd=_deviation(per_task),
        smallest=float(per_task.min()),
        largest=float(per_task.max()),
        method=method,
        **found,
    )


def quantile(values: Numbers, share: float, method: Method = "linear") -> Quantile:
    """`linear` interpolates between (n − 1)·share + 1-th values, `exclusive` between (n + 1)·share-th ones, as Python's
    statistics.quantiles does; the interval is the same for both."""
    value = float(np.quantile(values, share, method="weibull" if method == "exclusive" else "linear"))
    refused = too_few(len(values), QUANTILE_INTERVAL_FROM_TASKS, "An interval of a quantile needs")
    found = None if refused else order_interval(values, share)
    return Quantile(value, found, refused or (None if found else "An end lies beyond the outermost task."))


def order_interval(values: Numbers, share: float) -> Interval | None:
    """From the i-th to the j-th smallest value, with at most 2.5 % beyond each; None where an end has no value."""
    n, ordered = len(values), np.sort(values)
    # How many values lie below the quantile is a binomial draw.
    below = [float(bdtr(count, n, share)) for count in range(n)]
    low = sum(p <= TAIL for p in below)
    high = next((count + 1 for count, p in enumerate(below) if p >= 1 - TAIL), n + 1)
    return Interval(float(ordered[low - 1]), float(ordered[high - 1])) if low >= 1 and high <= n else None


def counted_curve(counts: Counts, of: int, points: Sequence[float]) -> Curve:
    """Share of `of` at each point, as the mean over tasks (tasks × points), with percentile bootstrap bands over tasks.

    None is drawn: what a resample of K tasks adds up to is the sum of K independent draws from the tasks' counts,
    and its distribution is their K-fold convolution. That is what ever more resamples come to.
    """
    whole = len(counts) * of
    shares = counts.sum(axis=0) / whole
    one_draw = np.array([(counts == count).mean(axis=0) for count in range(of + 1)])
    chances = np.fft.irfft(np.fft.rfft(one_draw, whole + 1, axis=0) ** len(counts), whole + 1, axis=0)
    at_most = np.cumsum(chances, axis=0)
    ends = [(at_most < tail - ROUNDING).sum(axis=0) / whole for tail in (TAIL, 1 - TAIL)]
    return Curve(tuple(points), *(tuple(float(one) for one in line) for line in (shares, *ends)))


def runs_at_least(times: Numbers, correct: NDArray[np.bool_], points: Sequence[float]) -> Counts:
    """Per task and point, how many runs are right and at least so fast: the counts of a fast_p curve."""
    fast = correct[:, :, None] & (times[:, :, None] >= np.asarray(points))
    return np.asarray(fast.sum(axis=1), dtype=np.int64)


def is_at_most(per_task: Numbers, points: Sequence[float]) -> Counts:
    """Per task and point, 1 where s[k] is no larger: the counts of a distribution function."""
    return np.asarray(per_task[:, None] <= np.asarray(points), dtype=np.int64)


def _deviation(values: Numbers) -> float | None:
    """With n − 1; exactly 0 where all values are the same."""
    if len(values) < 2:
        return None
    return 0.0 if values.min() == values.max() else float(values.std(ddof=1))
