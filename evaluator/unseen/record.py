"""The record of one candidate on the unseen cases of a round, as versioned JSON beside the record of the seen cases.

A failure here is a metric and rejects nobody. The file is secret until its round is revealed: it has the cases, and all
text that the candidate printed while it saw them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from evaluator import codec
from evaluator.records.measurements import FUNCTIONAL, Clock, Ratio, TimingSession, problems_of_times
from evaluator.records.reasons import REASONS, Flag, Status
from evaluator.records.record import CandidateRef, Finding, HostInfo, SandboxRef, TaskRef, problems_of_case_ids
from evaluator.tasks.spec import AxisValue, Case, Profile
from evaluator.unseen.cases import ConfigCategory, Origin

UNSEEN_SCHEMA_VERSION = 1
NOT_JUDGED_STATUSES = (Status.ERRORED, Status.NOT_JUDGED)  # statuses that say nothing about a source
Quadrant = Literal["both_pass", "opt_regression", "both_fail", "opt_improvement", "evaluation_error"]
QUADRANTS: tuple[Quadrant, ...] = get_args(Quadrant)
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class SideOutcome:
    """One side on one case: correct, wrong with a reason, or (`correct` is None) not judged for no fault of its own."""

    correct: bool | None
    reason: str | None  # code of reasons.REASONS
    message: str | None  # one sentence
    draws: int  # draws that were checked and correct
    relative_rmse: float | None  # worst over draws and outputs
    allowed_rmse: float | None  # the bound of the worst one


@dataclass(frozen=True, slots=True)
class UnseenCaseRecord:
    """One unseen case on both sides; it is timed only if both are correct."""

    id: str
    axes: Mapping[str, AxisValue]
    profile: Profile
    category: ConfigCategory
    origin: Origin
    baseline: SideOutcome
    candidate: SideOutcome
    clocks: Mapping[str, Clock]
    ratio: Ratio | None
    sessions: tuple[TimingSession, ...]

    @property
    def quadrant(self) -> Quadrant:
        return quadrant_of(self.baseline.correct, self.candidate.correct)

    @property
    def speedup(self) -> float | None:
        """The speedup on T_dev; None without a ratio."""
        return math.exp(self.ratio.log_ratio) if self.ratio else None


@dataclass(frozen=True, slots=True)
class UnseenRecord:
    schema: int
    protocol: str
    evaluator: str
    generator: str  # version of the generator of the cases
    round: str  # sha256 of its secret, in hex
    started_at: str  # ISO 8601, UTC
    task: TaskRef
    candidate: CandidateRef
    baseline_kind: Literal["source", "eager"]
    host: HostInfo
    sandbox: SandboxRef | None
    flags: tuple[Flag, ...]
    findings: tuple[Finding, ...]
    cases: tuple[UnseenCaseRecord, ...]
    seconds: Mapping[str, float]
    log: str
    order_seed: int | None = field(default=None, metadata=codec.ADDED_LATER)  # as in Record

    @property
    def is_complete(self) -> bool:
        """Whether all cases were judged; a case that errored is in no denominator."""
        return all(case.quadrant != "evaluation_error" for case in self.cases)

    @property
    def has_fault(self) -> bool:
        """Whether a case errored and may be judged next time, unlike one that needs a feature the host lacks."""
        sides = [side for case in self.cases for side in (case.baseline, case.candidate)]
        return any(side.correct is None and REASONS[str(side.reason)][0] is Status.ERRORED for side in sides)

    def count(self, quadrant: Quadrant) -> int:
        return sum(case.quadrant == quadrant for case in self.cases)


def quadrant_of(baseline: bool | None, candidate: bool | None) -> Quadrant:
    """The quadrant of a case on which each side is correct, wrong, or without a verdict."""
    match baseline, candidate:
        case True, True:
            return "both_pass"
        case True, False:
            return "opt_regression"
        case False, False:
            return "both_fail"
        case False, True:
            return "opt_improvement"
    return "evaluation_error"


def write_unseen(record: UnseenRecord, path: Path) -> None:
    """Write a record atomically, unless it breaks the rules of `problems_of`.

    Raises:
        codec.DecodeError: the record is inconsistent.
    """
    codec.write(record, path, problems_of)


def read_unseen(text: str | bytes) -> UnseenRecord:
    """Read and check one record.

    Raises:
        codec.DecodeError: with every problem.
    """
    return codec.read(UnseenRecord, text, problems_of)


def problems_of(record: UnseenRecord) -> list[str]:
    """Sentences on every rule between its fields that this record breaks."""
    problems = []
    if record.schema != UNSEEN_SCHEMA_VERSION:
        problems.append(f"schema: seen {record.schema}; expected {UNSEEN_SCHEMA_VERSION}")
    if not _DIGEST.fullmatch(record.round):
        problems.append(f"round: seen {record.round!r:.80}; expected the sha256 of a secret")
    if not record.cases:
        problems.append("cases: there are none")
    problems += problems_of_case_ids([case.id for case in record.cases])
    for case in record.cases:
        problems += [f"cases.{case.id}: {text}" for text in _problems_of_case(case)]
    functional = any(FUNCTIONAL in case.clocks for case in record.cases)
    if functional != (Flag.FUNCTIONAL in record.flags):
        problems.append("flags: functional is required with functional times, and only then")
    if any(seconds < 0 for seconds in record.seconds.values()):
        problems.append("seconds: a negative duration")
    return problems


def _problems_of_case(case: UnseenCaseRecord) -> list[str]:
    problems = problems_of_times(case.clocks, case.ratio)
    if Case(tuple(case.axes.items()), case.profile).id != case.id:
        problems.append("the id does not fit the axes")
    if bool(case.clocks) != (case.quadrant == "both_pass"):
        problems.append("times are required where both sides are correct, and only there")
    for name, outcome in (("baseline", case.baseline), ("candidate", case.candidate)):
        problems += [f"{name}: {text}" for text in problems_of_outcome(outcome)]
    return problems


def problems_of_outcome(outcome: SideOutcome) -> list[str]:
    if outcome.correct:
        wrong = outcome.draws < 1 or outcome.reason is not None or outcome.message is not None
        return ["a correct side needs a draw, and neither reason nor message"] if wrong else []
    problems = [] if outcome.message else ["a message is missing"]
    status = REASONS.get(outcome.reason or "", (Status.PASSED,))[0]
    if status is Status.PASSED:
        problems.append(f"seen the reason {outcome.reason!r}; expected a code of reasons.REASONS")
    elif (status in NOT_JUDGED_STATUSES) != (outcome.correct is None):
        problems.append(f"a reason of status {status.value} does not go with correct = {outcome.correct}")
    return problems
