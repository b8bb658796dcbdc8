"""One result on the unseen cases of a round: how many ended in each quadrant, and the quadrant that follows."""

from __future__ import annotations

from collections.abc import Mapping
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


class UnseenCases(NamedTuple):
    """What the unseen cases of one result come to.

    `paper` and `strict` are None while a case has no verdict. `paper`: a side is correct if it is on all cases.
    `strict`: one case that only the candidate fails is a regression.
    """

    counts: Integers  # categories × quadrants, the last column those without a verdict
    number: int
    paper: Quadrant | None
    strict: Quadrant | None


class TaskRun(NamedTuple):
    """The result of one run on one task. Without unseen cases it was not judged in this round, or does not count."""

    task: str
    run: int
    seen_passed: bool
    seen: Speed | None
    unseen: Speed | None
    cases: UnseenCases


def unseen_cases(numbers: Mapping[str, Mapping[str, int]]) -> UnseenCases:
    """What cases come to, from the numbers of each category in each of QUADRANTS and NO_VERDICT; 0 may be left out."""
    counts = np.zeros((len(CONFIG_CATEGORIES), len(_COLUMNS)), dtype=int)
    for category, own in numbers.items():
        for name, count in own.items():
            counts[_CATEGORIES[category], _COLUMNS[name]] = count
    return _of_counts(counts)


def if_all_were_wrong(cases: UnseenCases) -> UnseenCases:
    """The same cases if the candidate were wrong on each that has a verdict."""
    changed = np.zeros_like(cases.counts)
    for (baseline, _), found in QUADRANTS.items():
        changed[:, _COLUMNS[QUADRANTS[baseline, False]]] += cases.counts[:, _COLUMNS[found]]
    changed[:, _COLUMNS[NO_VERDICT]] = cases.counts[:, _COLUMNS[NO_VERDICT]]
    return _of_counts(changed)


def _of_counts(counts: Integers) -> UnseenCases:
    _, improved, both_fail, broken, without_verdict = totals = counts.sum(axis=0).tolist()
    if without_verdict or not any(totals):
        return UnseenCases(counts, sum(totals), None, None)
    paper = QUADRANTS[not (improved or both_fail), not (both_fail or broken)]
    return UnseenCases(counts, sum(totals), paper, "opt_regression" if broken else paper)
