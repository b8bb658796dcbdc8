"""Distribution of speedups over the tasks of a leaderboard: quantiles with intervals, curves with bootstrap bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from leaderboard.statistics.limits import (
    MIN_TASKS_FOR_QUANTILE_INTERVAL,
    MISSING,
    NOT_TIMED,
    TAIL,
    Interval,
    too_few,
)
from leaderboard.statistics.results import Numbers, ResultMatrix, device_times, paper_times

ClockName = Literal["t_dev", "paper"]
Method = Literal["linear", "exclusive"]
QUANTILES = {"p25": 0.25, "median": 0.5, "p75": 0.75, "p90": 0.9}
ROUNDING = 1e-12  # error of a sum of probabilities
POINTS, SLOWEST_POINT, LEAST_FASTEST = 48, 0.5, 4.0  # of a curve, evenly on a logarithmic axis
Counts = NDArray[np.int64]
Complexes = NDArray[np.complex128]


@dataclass(frozen=True, slots=True)
class Quantile:
    value: float
    interval: Interval | None
    refused: str | None


@dataclass(frozen=True, slots=True)
class Distribution:
    """Quantiles of s[k], the tasks' mean speedups over runs. `method` names how they are interpolated."""

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
    """Shares at `points`, with the pointwise 95 % bootstrap band over tasks."""

    points: tuple[float, ...]
    shares: tuple[float, ...]
    low: tuple[float, ...] | None
    high: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class Spread:
    """The distribution of one entry. `speedups` are s[k], the means over runs; a wrong run counts as 0."""

    speedups: tuple[float, ...]
    distribution: Distribution
    fast_p: Curve  # share of results that are correct and at least that fast
    share_at_most: Curve  # the distribution function of s[k]


def timed_tasks(eligible: Sequence[bool | None], clock: ClockName) -> list[int]:
    """Indices of the tasks in the distribution: on t_dev all but those known to be too short for a speed.

    A task that no entry solved is included, as a failure of all, so that the tasks do not depend on the entries.
    """
    return [task for task, one in enumerate(eligible) if clock == "paper" or one is not False]


def spreads(
    entries: Mapping[str, ResultMatrix], tasks: Sequence[int], clock: ClockName, method: Method
) -> dict[str, Spread | str]:
    """Distribution of each entry over these tasks, or the reason why it has none."""
    times = {name: _times(results, clock, tasks) for name, results in entries.items()}
    points = _points([found for found in times.values() if not isinstance(found, str)])
    return {
        name: found if isinstance(found, str) else _spread(found, entries[name].correct[tasks], points, method)
        for name, found in times.items()
    }


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
    """Quantile with its interval, which is the same for both methods.

    `linear` interpolates at position 1 + (n − 1)·share, `exclusive` at (n + 1)·share, as Python's statistics.quantiles.
    """
    value = float(np.quantile(values, share, method="weibull" if method == "exclusive" else "linear"))
    refused = too_few(len(values), MIN_TASKS_FOR_QUANTILE_INTERVAL, "An interval of a quantile needs")
    found = None if refused else order_interval(values, share)
    return Quantile(value, found, refused or (None if found else "One end lies beyond the outermost task."))


def order_interval(values: Numbers, share: float) -> Interval | None:
    """Interval between two order statistics, at most 2.5 % beyond each; None where an end lies outside the data."""
    n, ordered = len(values), np.sort(values)
    # The number of values below the quantile is binomial.
    below = bdtr(np.arange(n), n, share)
    low, high = int((below <= TAIL).sum()), int((below < 1 - TAIL).sum()) + 1
    return Interval(float(ordered[low - 1]), float(ordered[high - 1])) if low >= 1 and high <= n else None


def counted_curve(counts: Counts, of: int, points: Sequence[float]) -> Curve:
    """Curve of the mean share of `of` at each point (`counts`: tasks × points), with percentile bootstrap bands.

    No resample is drawn. The sum over K resampled tasks is the sum of K independent draws from the tasks' counts, so
    its distribution is their K-fold convolution: the limit of infinitely many resamples.
    """
    whole = len(counts) * of
    shares = counts.sum(axis=0) / whole
    one_draw = np.array([(counts == count).mean(axis=0) for count in range(of + 1)])
    size = 1 << whole.bit_length()  # more than whole; a power of two, as a prime takes ten times as long
    chances = np.fft.irfft(_power(np.fft.rfft(one_draw, size, axis=0), len(counts)), size, axis=0)
    at_most = np.cumsum(chances[: whole + 1], axis=0)
    ends = [(at_most < tail - ROUNDING).sum(axis=0) / whole for tail in (TAIL, 1 - TAIL)]
    return Curve(tuple(points), *(tuple(float(one) for one in line) for line in (shares, *ends)))


def runs_at_least(times: Numbers, correct: NDArray[np.bool_], points: Sequence[float]) -> Counts:
    """Number of runs that are correct and at least that fast, tasks × points: the counts of a fast_p curve."""
    fast = correct[:, :, None] & (times[:, :, None] >= np.asarray(points))
    return np.asarray(fast.sum(axis=1), dtype=np.int64)


def is_at_most(per_task: Numbers, points: Sequence[float]) -> Counts:
    """1 where s[k] is at most the point, tasks × points: the counts of a distribution function."""
    return np.asarray(per_task[:, None] <= np.asarray(points), dtype=np.int64)


def _power(values: Complexes, exponent: int) -> Complexes:
    """By squaring: numpy's own power goes by logarithms from 100 on, and takes ten times as long."""
    found = np.ones_like(values)
    while exponent:
        if exponent % 2:
            found = found * values
        values, exponent = values * values, exponent // 2
    return found


def _deviation(values: Numbers) -> float | None:
    """Sample standard deviation (n − 1); exactly 0 where all values are the same, None below two."""
    if len(values) < 2:
        return None
    return 0.0 if values.min() == values.max() else float(values.std(ddof=1))


def _times(results: ResultMatrix, clock: ClockName, tasks: Sequence[int]) -> Numbers | str:
    """s[k, r] on these tasks, or the reason why the entry has none."""
    if not results.is_complete:
        return MISSING
    times = (device_times(results) if clock == "t_dev" else paper_times(results))[tasks]
    return times if np.isfinite(times).all() else NOT_TIMED


def _spread(times: Numbers, correct: NDArray[np.bool_], points: Sequence[float], method: Method) -> Spread:
    per_task = times.mean(axis=1)
    fast = counted_curve(runs_at_least(times, correct, points), times.shape[1], points)
    most = counted_curve(is_at_most(per_task, points), 1, points)
    return Spread(tuple(float(one) for one in per_task), distribution(per_task, method), fast, most)


def _points(grids: Sequence[Numbers]) -> tuple[float, ...]:
    """Points of the curves: speedups from 0.5 to the largest mean, with 1 and 2 among them."""
    largest = max([LEAST_FASTEST, *(float(times.mean(axis=1).max()) for times in grids)])
    evenly = np.geomspace(SLOWEST_POINT, largest, POINTS)
    return tuple(sorted({1.0, 2.0, *(float(f"{point:.3g}") for point in evenly)}))
