"""Speed metrics of an entry on t_dev: usable speedup with its two intervals; wins, ties, losses and failures."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, fsum

import numpy as np

from leaderboard.statistics.intervals import exponential, repeat_interval, task_interval
from leaderboard.statistics.limits import MIN_TASKS_FOR_INTERVAL, MISSING, Interval, too_few
from leaderboard.statistics.results import Numbers, ResultMatrix, log_usable


@dataclass(frozen=True, slots=True)
class SpeedEstimate:
    """A geometric mean of ratios with its intervals. Each missing part has its reason in the field after it."""

    value: float | None
    refused: str | None
    tasks: Interval | None  # for tasks like these
    tasks_refused: str | None
    runs: Interval | None  # for the same suite run again
    runs_refused: str | None
    worst: float | None  # if all missing results failed; there is no upper bound


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Number of results by outcome; they add up to `of`."""

    win: int  # the interval of the ratio lies above 1
    tie: int  # it contains 1, or no case is eligible
    loss: int  # it lies below 1
    fail: int  # not correct
    unknown: int  # no verdict
    of: int


def usable_speedup(results: ResultMatrix, eligible_tasks: int) -> SpeedEstimate:
    """Usable speedup U = exp(mean over tasks of the mean over runs of log u).

    `eligible_tasks`: the number of tasks that can show a speed.
    """
    values, worst = log_usable(results), usable_ratio(results)
    if refused := why_no_speed(eligible_tasks):
        return _refused(refused, None)
    if not results.is_complete:
        return _refused(MISSING, worst)
    tasks, runs = task_interval(values), repeat_interval(values)
    return SpeedEstimate(
        value=worst,
        refused=None,
        tasks=exponential(tasks) if isinstance(tasks, Interval) else None,
        tasks_refused=tasks if isinstance(tasks, str) else None,
        runs=exponential(runs) if isinstance(runs, Interval) else None,
        runs_refused=runs if isinstance(runs, str) else None,
        worst=worst,
    )


def usable_ratio(results: ResultMatrix) -> float:
    """U with each missing result as one that failed: the least that it can become."""
    values = log_usable(results)
    return exp(exact_mean(np.nan_to_num(values))) if values.size else 1.0


def why_no_speed(eligible_tasks: int) -> str | None:
    """Reason why so few eligible tasks give no speed metric; None where there is one."""
    return too_few(eligible_tasks, MIN_TASKS_FOR_INTERVAL, "A speed metric needs eligible cases in")


def task_gains(results: ResultMatrix) -> Numbers:
    """Mean over runs of log u for each task: the values by which entries are ranked and compared."""
    return np.asarray(log_usable(results).mean(axis=1))


def exact_mean(values: Numbers) -> float:
    """Mean by an exact sum, so that the same values in another order give the same rank."""
    return fsum(values.ravel()) / values.size


def outcomes(results: ResultMatrix) -> Outcomes:
    judged, correct = results.known, results.known & results.correct
    win, loss = correct & (results.low > 0), correct & (results.high < 0)
    counts = {"win": win, "tie": correct & ~win & ~loss, "loss": loss, "fail": judged & ~correct, "unknown": ~judged}
    return Outcomes(**{name: int(flags.sum()) for name, flags in counts.items()}, of=results.known.size)


def _refused(reason: str, worst: float | None) -> SpeedEstimate:
    return SpeedEstimate(None, reason, None, reason, None, reason, worst)
