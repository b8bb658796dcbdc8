"""One result on the unseen cases of a round: how many ended in each quadrant, and the quadrant that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from evaluator.unseen.cases import CONFIG_CATEGORIES
from leaderboard.statistics.results import Integers

Quadrant = Literal["both_pass", "opt_improvement", "both_fail", "opt_regression"]
QUADRANTS: dict[tuple[bool, bool], Quadrant] = {  # (baseline correct, candidate correct)
    (True, True): "both_pass",
    (False, True): "opt_improvement",
    (False, False): "both_fail",
    (True, False): "opt_regression",
}
NO_VERDICT = "evaluation_error"  # of a case that is in no quadrant
_COLUMNS: dict[str, int] = {name: at for at, name in enumerate((*QUADRANTS.values(), NO_VERDICT))}
_CATEGORIES: dict[str, int] = {name: at for at, name in enumerate(CONFIG_CATEGORIES)}


class Speed(NamedTuple):
    """Speedup of one run on one task over its eligible cases: the mean of ratios, as in the paper, and of logs."""

    mean: float
    mean_log: float


class SeenResult(NamedTuple):
    """The result of one run on one task, on its seen cases."""

    task: str
    run: int
    passed: bool
    speed: Speed | None = None


class UnseenOutcome(NamedTuple):
    """What the unseen cases of one result come to."""

    counts: Integers  # as of `case_counts`
    speed: Speed | None = None


class TaskRun(NamedTuple):
    """The result of one run on one task. Without cases it was not judged in this round, or does not count.

    `paper` and `strict` are None while a case has no verdict. `paper`: a side is correct if it is on all cases.
    `strict`: one case that only the candidate fails is a regression.
    """

    task: str
    run: int
    seen_passed: bool
    seen: Speed | None
    unseen: Speed | None
    cases: int
    counts: Integers  # of the cases: categories × quadrants, the last column those without a verdict
    paper: Quadrant | None
    strict: Quadrant | None


def case_counts(numbers: Mapping[str, Mapping[str, int]]) -> Integers:
    """Numbers of cases as an array, CONFIG_CATEGORIES × (QUADRANTS and NO_VERDICT), from those above 0 by name."""
    counts = np.zeros((len(CONFIG_CATEGORIES), len(_COLUMNS)), dtype=int)
    for category, own in numbers.items():
        for name, count in own.items():
            counts[_CATEGORIES[category], _COLUMNS[name]] = count
    return counts


def if_all_were_wrong(counts: Integers) -> Integers:
    """The counts if the candidate were wrong on every case that has a verdict."""
    changed = np.zeros_like(counts)
    for (baseline, _), found in QUADRANTS.items():
        changed[:, _COLUMNS[QUADRANTS[baseline, False]]] += counts[:, _COLUMNS[found]]
    changed[:, _COLUMNS[NO_VERDICT]] = counts[:, _COLUMNS[NO_VERDICT]]
    return changed


def task_runs(results: Sequence[SeenResult], outcomes: Sequence[UnseenOutcome]) -> list[TaskRun]:
    """Each result with its unseen cases."""
    if not results:
        return []
    totals = np.stack([outcome.counts for outcome in outcomes]).sum(axis=1).tolist()
    return [
        TaskRun(one.task, one.run, one.passed, one.speed, outcome.speed, sum(total), outcome.counts, *_of_all(*total))
        for one, outcome, total in zip(results, outcomes, totals, strict=True)
    ]


def _of_all(
    both_pass: int, improved: int, both_fail: int, broken: int, without_verdict: int
) -> tuple[Quadrant | None, Quadrant | None]:
    """The quadrant of a result by the paper's rule and by the strict one, from the numbers of its cases."""
    if without_verdict or not (both_pass or improved or both_fail or broken):
        return None, None
    paper = QUADRANTS[not (improved or both_fail), not (both_fail or broken)]
    return paper, "opt_regression" if broken else paper
