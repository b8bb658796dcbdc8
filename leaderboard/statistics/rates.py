"""Rates over tasks × runs with Wilson's interval on the effective sample size: runs of one task are correlated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from leaderboard.statistics.limits import MIN_TASKS_FOR_INTERVAL, MISSING, Interval, too_few
from leaderboard.statistics.results import Integers

Z_95 = 1.959963984540054  # normal quantile of 0.975

Outcomes = Sequence[Sequence[bool]]  # tasks × runs; each task has at least one run, not all the same number


@dataclass(frozen=True, slots=True)
class Rate:
    """`count` of `of`, as a share with its interval, which is refused with a reason where tasks are too few."""

    count: int
    of: int
    share: float | None  # None: a result is missing
    interval: Interval | None
    refused: str | None  # why there is no interval
    worst: float | None  # shares if all missing results failed, or passed
    best: float | None


def rate(outcomes: Outcomes, of: int) -> Rate:
    """Rate over tasks × runs; `of` is the number of outcomes that the suite asks for.

    With fewer outcomes the rate has no share, only its worst and best completion.
    """
    count = sum(sum(runs) for runs in outcomes)
    seen = sum(len(runs) for runs in outcomes)
    if not of or seen < of:
        ends = (count / of, (count + of - seen) / of) if of else (None, None)
        return Rate(count, of, None, None, MISSING, *ends)
    share, tasks = count / of, len(outcomes)
    refused = too_few(tasks, MIN_TASKS_FOR_INTERVAL, "An interval needs")
    if refused:
        return Rate(count, of, share, None, refused, share, share)
    return Rate(count, of, share, wilson(share, effective_size(*counted(outcomes))), None, share, share)


def wilson(share: float, n: float) -> Interval:
    """Wilson's 95 % score interval of a share among n independent draws; n may be fractional."""
    z2 = Z_95 * Z_95
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z_95 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def counted(outcomes: Outcomes) -> tuple[Integers, Integers]:
    """The number of each task's runs, and of those with the outcome."""
    return np.array([len(runs) for runs in outcomes], dtype=int), np.array([sum(runs) for runs in outcomes], dtype=int)


def effective_size(sizes: Integers, counts: Integers) -> float:
    """Effective sample size N/(1 + (m − 1)·ρ̂), from what `counted` returns.

    It lies between the number of tasks, where all runs of a task agree, and N, where they are uncorrelated. m is the
    mean size of a draw's own task, Σ m_k²/N (Kish): R where each task has R runs.
    """
    n = int(sizes.sum())
    return n / (1 + (int((sizes * sizes).sum()) / n - 1) * agreement(sizes, counts))


def agreement(sizes: Integers, counts: Integers) -> float:
    """Intraclass correlation ρ̂ of one-way ANOVA, clipped to [0, 1]; 1 where no task's runs differ."""
    n, tasks = int(sizes.sum()), len(sizes)
    if tasks < 2 or n == tasks:
        return 1.0
    means, mean = counts / sizes, int(counts.sum()) / n
    # Not by numpy, which squares and sums otherwise: then the digests of earlier citations would be others.
    squares: list[float] = [size * (one - mean) ** 2 for size, one in zip(sizes.tolist(), means.tolist(), strict=True)]
    rests: list[float] = (sizes * means * (1 - means)).tolist()
    between, within = sum(squares) / (tasks - 1), sum(rests) / (n - tasks)
    if within == 0:
        return 1.0
    size = (n - int((sizes * sizes).sum()) / n) / (tasks - 1)  # R where each task has R runs
    return min(1.0, max(0.0, (between - within) / (between + (size - 1) * within)))
