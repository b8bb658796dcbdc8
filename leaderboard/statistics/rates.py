"""Rates over tasks × runs with Wilson's interval on the effective sample size: runs of one task are correlated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from leaderboard.statistics.limits import MIN_TASKS_FOR_INTERVAL, MISSING, Interval, too_few

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
    return Rate(count, of, share, wilson(share, effective_size(outcomes)), None, share, share)


def wilson(share: float, n: float) -> Interval:
    """Wilson's 95 % score interval of a share among n independent draws; n may be fractional."""
    z2 = Z_95 * Z_95
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z_95 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def effective_size(outcomes: Outcomes) -> float:
    """Effective sample size N/(1 + (m − 1)·ρ̂).

    It lies between the number of tasks, where all runs of a task agree, and N, where they are uncorrelated. m is the
    mean size of a draw's own task, Σ m_k²/N (Kish): R where each task has R runs.
    """
    sizes = [len(runs) for runs in outcomes]
    n = sum(sizes)
    return n / (1 + (sum(size * size for size in sizes) / n - 1) * agreement(outcomes))


def agreement(outcomes: Outcomes) -> float:
    """Intraclass correlation ρ̂ of one-way ANOVA, clipped to [0, 1]; 1 where no task's runs differ."""
    sizes = [len(runs) for runs in outcomes]
    n, tasks = sum(sizes), len(sizes)
    if tasks < 2 or n == tasks:
        return 1.0
    counts = [sum(runs) for runs in outcomes]
    means = [count / size for count, size in zip(counts, sizes, strict=True)]
    mean = sum(counts) / n
    between = sum(size * (one - mean) ** 2 for size, one in zip(sizes, means, strict=True)) / (tasks - 1)
    within = sum(size * one * (1 - one) for size, one in zip(sizes, means, strict=True)) / (n - tasks)
    if within == 0:
        return 1.0
    size = (n - sum(one * one for one in sizes) / n) / (tasks - 1)  # R where each task has R runs
    return min(1.0, max(0.0, (between - within) / (between + (size - 1) * within)))
