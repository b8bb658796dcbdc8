"""One result on the unseen cases of a round: each case with both sides, and the quadrant and speed that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal, NamedTuple

import numpy as np

from evaluator.unseen.cases import CONFIG_CATEGORIES
from leaderboard.statistics.results import Integers, Numbers

Quadrant = Literal["both_pass", "opt_improvement", "both_fail", "opt_regression"]
QUADRANTS: dict[tuple[bool, bool], Quadrant] = {  # (baseline correct, candidate correct)
    (True, True): "both_pass",
    (False, True): "opt_improvement",
    (False, False): "both_fail",
    (True, False): "opt_regression",
}
_ORDER = tuple(QUADRANTS.values())
NO_VERDICT = len(_ORDER)  # the index of what is in no quadrant


class CaseOutcome(NamedTuple):
    """The outcome of one unseen case. A side is None where the evaluation failed; the ratio is on t_dev."""

    category: str  # one of CONFIG_CATEGORIES
    baseline: bool | None
    candidate: bool | None
    log_ratio: float | None = None
    is_eligible: bool = False

    @property
    def quadrant(self) -> Quadrant | None:
        """Quadrant of the case; None for an evaluation error."""
        if self.baseline is None or self.candidate is None:
            return None
        return QUADRANTS[self.baseline, self.candidate]


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


@dataclass(frozen=True, slots=True, eq=False)
class CaseColumns:
    """Unseen cases of many results, one element of each array for each case: a board has tens of thousands."""

    result: Integers  # its index
    category: Integers  # its index in CONFIG_CATEGORIES
    quadrant: Integers  # its index in the order of QUADRANTS, or NO_VERDICT
    log_ratio: Numbers  # NaN where there is none, or it is not eligible


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


def task_runs(results: Sequence[SeenResult], cases: CaseColumns) -> list[TaskRun]:
    """Each result with its cases."""
    shape = (len(results), len(CONFIG_CATEGORIES), NO_VERDICT + 1)
    places = np.ravel_multi_index((cases.result, cases.category, cases.quadrant), shape)
    counts = np.bincount(places, minlength=prod(shape)).reshape(shape)
    speeds, totals = _speeds(cases, len(results)), counts.sum(axis=1).tolist()
    return [
        TaskRun(one.task, one.run, one.passed, one.speed, speed, sum(total), own, *_of_all(*total))
        for one, speed, own, total in zip(results, speeds, counts, totals, strict=True)
    ]


def task_run(result: SeenResult, cases: Sequence[CaseOutcome]) -> TaskRun:
    """A single result with its cases."""
    logs = [case.log_ratio if case.is_eligible else None for case in cases]
    columns = CaseColumns(
        np.zeros(len(cases), dtype=int),
        np.array([CONFIG_CATEGORIES.index(case.category) for case in cases], dtype=int),
        np.array([NO_VERDICT if case.quadrant is None else _ORDER.index(case.quadrant) for case in cases], dtype=int),
        np.array(logs, dtype=float),
    )
    return task_runs([result], columns)[0]


def _speeds(cases: CaseColumns, results: int) -> list[Speed | None]:
    """The speed of each result over its eligible unseen cases; None without one."""
    timed = np.isfinite(cases.log_ratio)
    at, logs = cases.result[timed], cases.log_ratio[timed]
    sums = [np.bincount(at, values, minlength=results).tolist() for values in (np.exp(logs), logs)]
    counts = np.bincount(at, minlength=results).tolist()
    return [
        Speed(total / count, total_log / count) if count else None
        for total, total_log, count in zip(*sums, counts, strict=True)
    ]


def _of_all(
    both_pass: int, improved: int, both_fail: int, broken: int, without_verdict: int
) -> tuple[Quadrant | None, Quadrant | None]:
    """The quadrant of a result by the paper's rule and by the strict one, from the numbers of its cases."""
    if without_verdict or not (both_pass or improved or both_fail or broken):
        return None, None
    paper = QUADRANTS[not (improved or both_fail), not (both_fail or broken)]
    return paper, "opt_regression" if broken else paper
