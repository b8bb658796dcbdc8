"""The two intervals of a mean over tasks, which are never mixed: of these tasks run again, and of tasks like these."""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.special import stdtrit

from leaderboard.statistics.answers import Numbers
from leaderboard.statistics.limits import INTERVAL_FROM_TASKS, RUNS_FOR_SPREAD, TAIL, Interval, too_few


def task_interval(values: Numbers) -> Interval | str:
    """Student's t over the tasks' run means (`values`: tasks × runs), or why there is none."""
    refused = too_few(len(values), INTERVAL_FROM_TASKS, "An interval needs")
    return refused or student(values.mean(axis=1))


def student(values: Numbers) -> Interval:
    """The 95 % interval of the mean of independent values, at least two."""
    n = len(values)
    half = float(stdtrit(n - 1, 1 - TAIL)) * float(values.std(ddof=1)) / sqrt(n)
    mean = float(values.mean())
    return Interval(mean - half, mean + half)


def repeat_interval(values: Numbers) -> Interval | str:
    """Of this suite, run again: variance Σ v[k] / (K²·R) with Satterthwaite's degrees of freedom (Σv)²·(R − 1) / Σv²,
    v[k] being the variance between the runs of task k. Or why there is none."""
    tasks, runs = values.shape
    if runs < RUNS_FOR_SPREAD:
        return f"What another run would change is seen from {RUNS_FOR_SPREAD} runs on; there is {runs}."
    variances = values.var(axis=1, ddof=1)
    total, mean = float(variances.sum()), float(values.mean())
    if total == 0:
        return Interval(mean, mean)
    df = total**2 * (runs - 1) / float((variances**2).sum())
    half = float(stdtrit(df, 1 - TAIL)) * sqrt(total / (tasks**2 * runs))
    return Interval(mean - half, mean + half)


def exponential(found: Interval) -> Interval:
    """An interval of a mean of logs as one of ratios."""
    low, high = np.exp(np.clip([found.low, found.high], -100, 100))
    return Interval(float(low), float(high))
