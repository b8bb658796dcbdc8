"""Comparisons of two entries on the same tasks: the paired differences of their means over runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from scipy.special import stdtr

from leaderboard.statistics.cards import NO_CARDS, CardEffects, CardPart, CardSpread
from leaderboard.statistics.intervals import exponential, student
from leaderboard.statistics.limits import MIN_TASKS_FOR_COMPARISON, MIN_TASKS_FOR_SIGN_FLIP, Interval, too_few
from leaderboard.statistics.results import Numbers, ResultMatrix
from leaderboard.statistics.speed import task_gains, why_no_speed

SIGNIFICANT = 0.05
NOT_COMPLETE = "An entry with missing results is not compared."


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Of one pair of entries, or of each pair."""

    mean: Numbers
    p: Numbers  # two-sided


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """A first entry against a second. `estimate` is a ratio for speed, a difference of shares for correctness."""

    estimate: float | None
    interval: Interval | None
    p: float | None
    refused: str | None  # why there is no estimate
    p_refused: str | None  # why there is no test
    wins: int  # tasks on which the first entry's mean over runs is larger
    ties: int
    losses: int

    @property
    def is_significant(self) -> bool:
        return self.p is not None and self.p < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class OnTask:
    """The results of one entry on one task, over its runs."""

    usable: float | None  # exp of the mean over runs of log u; None while a run has no verdict
    correct: int  # runs with a correct result
    judged: int  # runs with a verdict


def compare_usable_speedup(
    first: ResultMatrix, second: ResultMatrix, eligible_tasks: int, spread: CardSpread | None = None
) -> PairedComparison:
    """Ratio of the two usable speedups over all tasks, with the paired t test.

    `eligible_tasks`: the number of tasks that can show a speed. `spread`: how far cards differ, where it is known.
    """
    difference = task_gains(first) - task_gains(second)
    refused = _refusal(first, second) or why_no_speed(eligible_tasks)
    if refused:
        return PairedComparison(None, None, None, refused, refused, *_by_task(difference))
    cards = CardEffects.of([first, second], spread).between(0, 1)
    test, interval = paired_t(difference, cards), exponential(student(difference, cards))
    return PairedComparison(float(np.exp(test.mean)), interval, float(test.p), None, None, *_by_task(difference))


def compare_correctness(first: ResultMatrix, second: ResultMatrix) -> PairedComparison:
    """Difference of the two correctness rates, with the exact sign-flip test; with one run a side it is McNemar's."""
    runs = first.runs * second.runs // gcd(first.runs, second.runs)
    correct = [(one.correct & one.known).sum(axis=1) * (runs // one.runs) for one in (first, second)]
    steps = correct[0] - correct[1]  # in parts of 1/runs: whole numbers, so that the test is exact
    refused = _refusal(first, second)
    if refused:
        return PairedComparison(None, None, None, refused, refused, *_by_task(steps))
    difference = steps / runs
    few = too_few(int(np.count_nonzero(steps)), MIN_TASKS_FOR_SIGN_FLIP, "The test needs a difference on")
    p = None if few else sign_flip_p([int(step) for step in steps])
    return PairedComparison(float(difference.mean()), student(difference), p, None, few, *_by_task(steps))


def by_task(results: ResultMatrix) -> list[OnTask]:
    gains = task_gains(results)
    correct, judged = (results.correct & results.known).sum(axis=1), results.known.sum(axis=1)
    return [
        OnTask(float(np.exp(gain)) if np.isfinite(gain) else None, int(correct[index]), int(judged[index]))
        for index, gain in enumerate(gains)
    ]


def common_tasks(entries: Sequence[ResultMatrix]) -> list[int]:
    """Indices of the tasks on which every run of every entry has a verdict."""
    return [int(task) for task in np.flatnonzero(np.all([one.known.all(axis=1) for one in entries], axis=0))]


def paired_t(differences: Numbers, cards: CardPart = NO_CARDS) -> PairedTest:
    """Student's paired t test of a zero mean difference; p is 1 where the entries agree on every task.

    Of several pairs (`differences`: pairs × tasks) all are tested at once.
    """
    tasks, means, variances = differences.shape[-1], differences.mean(axis=-1), differences.var(axis=-1, ddof=1)
    variance, df = cards.added_to(variances / tasks, tasks - 1)
    with np.errstate(divide="ignore", invalid="ignore"):  # without a spread, t is infinite, or 0/0 where all agree
        t = np.abs(means) / np.sqrt(variance)
    p = np.where(differences.any(axis=-1), 2 * stdtr(df, -t), 1.0)
    return PairedTest(means, p)


def sign_flip_p(steps: list[int]) -> float:
    """Exact two-sided p of the sum of whole numbers under random signs, over all 2^n assignments of signs."""
    sizes = [abs(step) for step in steps if step]
    total = sum(sizes)
    ways = [0] * (2 * total + 1)  # sign assignments for each sum, from −total on
    ways[total] = 1
    for size in sizes:
        ways = [
            (ways[at - size] if at >= size else 0) + (ways[at + size] if at + size < len(ways) else 0)
            for at in range(len(ways))
        ]
    seen = abs(sum(steps))
    extreme: int = sum(count for at, count in enumerate(ways) if abs(at - total) >= seen)
    return extreme / (1 << len(sizes))


def _refusal(first: ResultMatrix, second: ResultMatrix) -> str | None:
    if not (first.is_complete and second.is_complete):
        return NOT_COMPLETE
    return too_few(first.tasks, MIN_TASKS_FOR_COMPARISON, "A comparison needs")


def _by_task(difference: np.ndarray) -> tuple[int, int, int]:
    return int((difference > 0).sum()), int((difference == 0).sum()), int((difference < 0).sum())
