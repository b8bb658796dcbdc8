"""The two confidence intervals of a mean over tasks: for tasks like these, and for the same tasks run again.

They answer different questions and are never mixed.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.special import stdtrit

from leaderboard.statistics.cards import NO_CARDS, CardPart
from leaderboard.statistics.limits import MIN_RUNS_FOR_SPREAD, MIN_TASKS_FOR_INTERVAL, TAIL, Interval, too_few
from leaderboard.statistics.results import Numbers


def task_interval(values: Numbers) -> Interval | str:
    """Interval for tasks like these: Student's t over the tasks' means over runs (`values`: tasks × runs).

    Returns the reason where there is no interval.
    """
    refused = too_few(len(values), MIN_TASKS_FOR_INTERVAL, "An interval needs")
    return refused or student(values.mean(axis=1))


def student(values: Numbers, cards: CardPart = NO_CARDS) -> Interval:
    """95 % interval of the mean of at least two independent values, by Student's t."""
    n = len(values)
    variance, df = cards.added_to(np.asarray(values.var(ddof=1) / n), n - 1)
    half = float(stdtrit(df, 1 - TAIL)) * sqrt(float(variance))
    mean = float(values.mean())
    return Interval(mean - half, mean + half)


def repeat_interval(values: Numbers) -> Interval | str:
    """Interval for the same suite run again (`values`: tasks × runs), or the reason why there is none.

    The variance is Σ v[k] / (K²·R), with Satterthwaite's degrees of freedom (Σv)²·(R − 1) / Σv²; v[k] is the variance
    between the runs of task k.
    """
    tasks, runs = values.shape
    if runs < MIN_RUNS_FOR_SPREAD:
        return f"The interval for another run needs {MIN_RUNS_FOR_SPREAD} runs; there is {runs}."
    variances = values.var(axis=1, ddof=1)
    total, mean = float(variances.sum()), float(values.mean())
    if total == 0:
        return Interval(mean, mean)
    df = total**2 * (runs - 1) / float((variances**2).sum())
    half = float(stdtrit(df, 1 - TAIL)) * sqrt(total / (tasks**2 * runs))
    return Interval(mean - half, mean + half)


def exponential(found: Interval) -> Interval:
    """Interval of a ratio, from the interval of its logarithm."""
    low, high = np.exp(np.clip([found.low, found.high], -100, 100))
    return Interval(float(low), float(high))
