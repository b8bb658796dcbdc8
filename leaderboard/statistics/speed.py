"""What an entry's times on t_dev come to: usable speedup with its two intervals; wins, ties, losses and failures."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, fsum

import numpy as np

from leaderboard.statistics.answers import Answers, Numbers, log_usable
from leaderboard.statistics.intervals import exponential, repeat_interval, task_interval
from leaderboard.statistics.limits import INTERVAL_FROM_TASKS, MISSING, Interval, too_few


@dataclass(frozen=True, slots=True)
class SpeedEstimate:
    """A mean of log ratios, as a ratio. Each part that is missing has its reason beside it."""

    value: float | None
    refused: str | None
    tasks: Interval | None  # of tasks like these
    tasks_refused: str | None
    runs: Interval | None  # of this suite, run again
    runs_refused: str | None
    worst: float | None  # if everything that is missing failed; there is no best


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Answers by what became of them; they add up to `of`."""

    win: int  # the interval of the ratio lies above 1
    tie: int  # it contains 1, or no case takes long enough to tell
    loss: int  # it lies below 1
    fail: int  # not correct
    unknown: int  # no verdict
    of: int


def usable_speedup(answers: Answers, eligible_tasks: int) -> SpeedEstimate:
    """U = exp(mean over tasks of the mean over runs of log u). `eligible_tasks`: how many can show a speed at all."""
    values = log_usable(answers)
    worst = _exp_mean(np.nan_to_num(values))
    if refused := no_speed(eligible_tasks):
        return _refused(refused, None)
    if not answers.is_whole:
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


def no_speed(eligible_tasks: int) -> str | None:
    """Why there is no speed metric where so many tasks can show a speed; None where there is one."""
    return too_few(eligible_tasks, INTERVAL_FROM_TASKS, "A speed metric needs eligible cases in")


def task_gains(answers: Answers) -> Numbers:
    """Per task the mean over runs of log u: what entries are ranked and compared by."""
    return np.asarray(log_usable(answers).mean(axis=1))


def exact_mean(values: Numbers) -> float:
    """Without rounding errors on the way, so that equal numbers in another order share a rank."""
    return fsum(values.ravel()) / values.size


def outcomes(answers: Answers) -> Outcomes:
    judged, correct = answers.known, answers.known & answers.correct
    win, loss = correct & (answers.low > 0), correct & (answers.high < 0)
    counts = {"win": win, "tie": correct & ~win & ~loss, "loss": loss, "fail": judged & ~correct, "unknown": ~judged}
    return Outcomes(**{name: int(flags.sum()) for name, flags in counts.items()}, of=answers.known.size)


def _refused(reason: str, worst: float | None) -> SpeedEstimate:
    return SpeedEstimate(None, reason, None, reason, None, reason, worst)


def _exp_mean(values: Numbers) -> float:
    return exp(exact_mean(values)) if values.size else 1.0
