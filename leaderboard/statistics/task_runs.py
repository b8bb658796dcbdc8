"""One result on the unseen cases of a round: each case with both sides, and the quadrant and speed that follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp
from statistics import fmean
from typing import Literal, NamedTuple

Quadrant = Literal["both_pass", "opt_improvement", "both_fail", "opt_regression"]
QUADRANTS: dict[tuple[bool, bool], Quadrant] = {  # (baseline correct, candidate correct)
    (True, True): "both_pass",
    (False, True): "opt_improvement",
    (False, False): "both_fail",
    (True, False): "opt_regression",
}


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


@dataclass(frozen=True, slots=True)
class Speed:
    """Speedup of one run on one task over its eligible cases: the mean of ratios, as in the paper, and of logs."""

    mean: float
    mean_log: float


@dataclass(frozen=True, slots=True)
class TaskRun:
    """The result of one run on one task. Without cases it was not judged in this round, or does not count.

    `paper` and `strict` are None while a case has no verdict. `paper`: a side is correct if it is on all cases.
    `strict`: one case that only the candidate fails is a regression. Computed once, since a page reads them often.
    """

    task: str
    run: int
    seen_passed: bool
    cases: tuple[CaseOutcome, ...] = ()
    seen: Speed | None = None
    unseen: Speed | None = field(init=False, compare=False)
    quadrants: tuple[Quadrant | None, ...] = field(init=False, compare=False)  # of the cases
    paper: Quadrant | None = field(init=False, compare=False)
    strict: Quadrant | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        found = tuple(case.quadrant for case in self.cases)
        paper = _of_all(set(found))
        is_broken = paper is not None and "opt_regression" in found
        strict = "opt_regression" if is_broken else paper
        logs = [case.log_ratio for case in self.cases if case.is_eligible and case.log_ratio is not None]
        unseen = Speed(fmean(map(exp, logs)), fmean(logs)) if logs else None
        values = {"quadrants": found, "paper": paper, "strict": strict, "unseen": unseen}
        for name, value in values.items():
            object.__setattr__(self, name, value)


def _of_all(found: set[Quadrant | None]) -> Quadrant | None:
    if not found or None in found:
        return None
    return QUADRANTS[found <= {"both_pass", "opt_regression"}, found <= {"both_pass", "opt_improvement"}]
