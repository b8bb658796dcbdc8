"""Two entries on the same tasks: the difference task by task, with all runs of a task on either side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, inf, sqrt

import numpy as np
from scipy.special import stdtr

from leaderboard.statistics.answers import Answers, Numbers
from leaderboard.statistics.intervals import exponential, student
from leaderboard.statistics.limits import COMPARISON_FROM_TASKS, SIGN_FLIP_FROM_TASKS, Interval, too_few
from leaderboard.statistics.speed import no_speed, task_gains

SIGNIFICANT = 0.05
NOT_WHOLE = "An entry with missing answers is not compared."


@dataclass(frozen=True, slots=True)
class PairedTest:
    mean: float
    p: float  # two-sided


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """First against second. `estimate` is a ratio for speed and a difference of shares for correctness."""

    estimate: float | None
    interval: Interval | None
    p: float | None
    refused: str | None  # why there is no estimate
    p_refused: str | None  # why there is no test
    wins: int  # tasks on which the first one's run mean is larger
    ties: int
    losses: int

    @property
    def is_significant(self) -> bool:
        return self.p is not None and self.p < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class OnTask:
    """One entry on one task."""

    usable: float | None  # exp of the mean over runs of log u; None while a run has no verdict
    right: int  # runs with a right answer
    judged: int


def compare_usable_speedup(first: Answers, second: Answers, eligible_tasks: int) -> PairedComparison:
    """Ratio of U over all tasks, with the paired t test. `eligible_tasks`: how many can show a speed at all."""
    difference = task_gains(first) - task_gains(second)
    refused = _refusal(first, second) or no_speed(eligible_tasks)
    if refused:
        return PairedComparison(None, None, None, refused, refused, *_by_task(difference))
    test, interval = paired_t(difference), exponential(student(difference))
    return PairedComparison(float(np.exp(test.mean)), interval, test.p, None, None, *_by_task(difference))


def compare_correctness(first: Answers, second: Answers) -> PairedComparison:
    """Difference of the rates of right answers, with the exact sign-flip test, which is McNemar's for one run."""
    runs = first.runs * second.runs // gcd(first.runs, second.runs)
    right = [(one.correct & one.known).sum(axis=1) * (runs // one.runs) for one in (first, second)]
    steps = right[0] - right[1]  # in parts of 1/runs: whole numbers, so that the test is exact
    refused = _refusal(first, second)
    if refused:
        return PairedComparison(None, None, None, refused, refused, *_by_task(steps))
    difference = steps / runs
    few = too_few(int(np.count_nonzero(steps)), SIGN_FLIP_FROM_TASKS, "The test needs a difference on")
    p = None if few else sign_flip_p([int(step) for step in steps])
    return PairedComparison(float(difference.mean()), student(difference), p, None, few, *_by_task(steps))


def by_task(answers: Answers) -> list[OnTask]:
    gains = task_gains(answers)
    right, judged = (answers.correct & answers.known).sum(axis=1), answers.known.sum(axis=1)
    return [
        OnTask(float(np.exp(gain)) if np.isfinite(gain) else None, int(right[index]), int(judged[index]))
        for index, gain in enumerate(gains)
    ]


def common_tasks(entries: Sequence[Answers]) -> list[int]:
    """Tasks on which every run of every entry has a verdict."""
    return [int(task) for task in np.flatnonzero(np.all([one.known.all(axis=1) for one in entries], axis=0))]


def paired_t(difference: Numbers) -> PairedTest:
    """Student's test that the mean difference is zero; entries that agree on every task do not differ."""
    n, mean, sd = len(difference), float(difference.mean()), float(difference.std(ddof=1))
    if not difference.any():
        return PairedTest(0.0, 1.0)
    t = abs(mean) / (sd / sqrt(n)) if sd else inf
    return PairedTest(mean, 2 * float(stdtr(n - 1, -t)))


def sign_flip_p(steps: list[int]) -> float:
    """Two-sided p of the sum of whole numbers when every sign is as likely as its opposite: all 2^n sums, counted."""
    sizes = [abs(step) for step in steps if step]
    total = sum(sizes)
    ways = [0] * (2 * total + 1)  # of each sum from −total on
    ways[total] = 1
    for size in sizes:
        ways = [
            (ways[at - size] if at >= size else 0) + (ways[at + size] if at + size < len(ways) else 0)
            for at in range(len(ways))
        ]
    seen = abs(sum(steps))
    extreme: int = sum(count for at, count in enumerate(ways) if abs(at - total) >= seen)
    return extreme / (1 << len(sizes))


def _refusal(first: Answers, second: Answers) -> str | None:
    if not (first.is_whole and second.is_whole):
        return NOT_WHOLE
    return too_few(first.tasks, COMPARISON_FROM_TASKS, "A comparison needs")


def _by_task(difference: np.ndarray) -> tuple[int, int, int]:
    return int((difference > 0).sum()), int((difference == 0).sum()), int((difference < 0).sum())
