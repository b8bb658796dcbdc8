"""What one answer made of unseen cases: each case with both sides, and the quadrant and speed that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp
from statistics import fmean
from typing import Literal, NamedTuple

Quadrant = Literal["both_pass", "opt_improvement", "both_fail", "opt_regression"]
QUADRANTS: dict[tuple[bool, bool], Quadrant] = {  # (baseline right, candidate right)
    (True, True): "both_pass",
    (False, True): "opt_improvement",
    (False, False): "both_fail",
    (True, False): "opt_regression",
}


class CaseOutcome(NamedTuple):
    """One unseen case. A side is None where our evaluation failed; the ratio is the one on t_dev."""

    category: str  # one of CONFIG_CATEGORIES
    baseline: bool | None
    candidate: bool | None
    log_ratio: float | None = None
    is_eligible: bool = False

    @property
    def quadrant(self) -> Quadrant | None:
        """None is an evaluation_error."""
        if self.baseline is None or self.candidate is None:
            return None
        return QUADRANTS[self.baseline, self.candidate]


@dataclass(frozen=True, slots=True)
class Speed:
    """Of one task in one run, over its eligible cases: the mean of ratios, as the paper has it, and of their logs."""

    mean: float
    mean_log: float


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One answer of one run to one task. Without cases it was not judged in this round, or does not count.

    Its quadrants are None as long as one case has no verdict. `paper`: a side is right if it is on all cases.
    `strict`: one case that only the candidate breaks is enough. All is worked out once: a page asks a dozen times.
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
        values = {"quadrants": found, "paper": paper, "strict": "opt_regression" if is_broken else paper}
        for name, value in (values | {"unseen": _unseen(self.cases)}).items():
            object.__setattr__(self, name, value)


def _of_all(found: set[Quadrant | None]) -> Quadrant | None:
    if not found or None in found:
        return None
    return QUADRANTS[found <= {"both_pass", "opt_regression"}, found <= {"both_pass", "opt_improvement"}]


def _unseen(cases: Sequence[CaseOutcome]) -> Speed | None:
    logs = [case.log_ratio for case in cases if case.is_eligible and case.log_ratio is not None]
    return Speed(fmean(map(exp, logs)), fmean(logs)) if logs else None
