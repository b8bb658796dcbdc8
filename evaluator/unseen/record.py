"""What the unseen cases of one round say of one candidate, as versioned JSON: beside the seen Record, never in it.

A failure here is a metric and turns nobody away. The file is secret until its round is revealed: the cases are in it,
and so is all text that the candidate printed while it saw them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from evaluator import codec
from evaluator.records.measurements import FUNCTIONAL, Clock, Ratio, TimingSession, problems_of_times
from evaluator.records.reasons import REASONS, Flag, Status
from evaluator.records.record import CandidateRef, Finding, HostInfo, SandboxRef, TaskRef, problems_of_case_ids
from evaluator.tasks.spec import AxisValue, Case, Profile
from evaluator.unseen.cases import ConfigCategory, Origin

UNSEEN_SCHEMA_VERSION = 1
NOT_OF_THE_SIDE = (Status.ERRORED, Status.NOT_JUDGED)  # statuses of reasons that say nothing of a source
Quadrant = Literal["both_pass", "opt_regression", "both_fail", "opt_improvement", "evaluation_error"]
QUADRANTS: tuple[Quadrant, ...] = get_args(Quadrant)
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class SideOutcome:
    """One side on one case: right, wrong with a reason, or (`correct` is None) not judged through no fault of its."""

    correct: bool | None
    reason: str | None  # code of reasons.REASONS
    message: str | None  # one sentence
    draws: int  # judged draws that were right
    relative_rmse: float | None  # worst over draws and outputs
    allowed_rmse: float | None  # the bound that the worst one was held to


@dataclass(frozen=True, slots=True)
class UnseenCaseRecord:
    """One unseen case on both sides; timed only where both are right."""

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
        return quadrant_of(self.baseline, self.candidate)

    @property
    def speedup(self) -> float | None:
        """On T_dev; never on functional times."""
        return math.exp(self.ratio.log_ratio) if self.ratio else None


@dataclass(frozen=True, slots=True)
class UnseenRecord:
    schema: int
    protocol: str
    evaluator: str
    generator: str  # version of what made the cases
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

    @property
    def is_complete(self) -> bool:
        """Were all cases judged? One of our own faults leaves its case in no denominator."""
        return all(case.quadrant != "evaluation_error" for case in self.cases)

    @property
    def has_fault(self) -> bool:
        """Is a case unjudged that may be judged next time? A feature that the host lacks it lacks then, too."""
        sides = [side for case in self.cases for side in (case.baseline, case.candidate)]
        return any(side.correct is None and REASONS[str(side.reason)][0] is Status.ERRORED for side in sides)

    def count(self, quadrant: Quadrant) -> int:
        return sum(case.quadrant == quadrant for case in self.cases)


def quadrant_of(baseline: SideOutcome, candidate: SideOutcome) -> Quadrant:
    match baseline.correct, candidate.correct:
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
    """Write atomically; a record that breaks its own rules is our fault and is never written.

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
    """Every rule between its fields that this record breaks."""
    problems = []
    if record.schema != UNSEEN_SCHEMA_VERSION:
        problems.append(f"schema: seen {record.schema}; expected {UNSEEN_SCHEMA_VERSION}")
    if not _DIGEST.fullmatch(record.round):
        problems.append(f"round: seen {record.round!r:.80}; expected the sha256 of a secret")
    if not record.cases:
        problems.append("cases: no case was judged")
    problems += problems_of_case_ids([case.id for case in record.cases])
    for case in record.cases:
        problems += [f"cases.{case.id}: {text}" for text in _problems_of_case(case)]
    functional = any(FUNCTIONAL in case.clocks for case in record.cases)
    if functional != (Flag.FUNCTIONAL in record.flags):
        problems.append("flags: functional must stand exactly where functional times do")
    if any(seconds < 0 for seconds in record.seconds.values()):
        problems.append("seconds: a negative duration")
    return problems


def _problems_of_case(case: UnseenCaseRecord) -> list[str]:
    problems = problems_of_times(case.clocks, case.ratio)
    if Case(tuple(case.axes.items()), case.profile).id != case.id:
        problems.append("the id is not that of the axes")
    if bool(case.clocks) != (case.quadrant == "both_pass"):
        problems.append("times must stand exactly where both sides are right")
    for name, outcome in (("baseline", case.baseline), ("candidate", case.candidate)):
        problems += [f"{name}: {text}" for text in problems_of_outcome(outcome)]
    return problems


def problems_of_outcome(outcome: SideOutcome) -> list[str]:
    if outcome.correct:
        wrong = outcome.draws < 1 or outcome.reason is not None or outcome.message is not None
        return ["right needs a judged draw, and neither reason nor message"] if wrong else []
    problems = [] if outcome.message else ["a message is missing"]
    status = REASONS.get(outcome.reason or "", (Status.PASSED,))[0]
    if status is Status.PASSED:
        problems.append(f"seen the reason {outcome.reason!r}; expected a code of reasons.REASONS")
    elif (status in NOT_OF_THE_SIDE) != (outcome.correct is None):
        problems.append(f"a reason of status {status.value} does not go with correct = {outcome.correct}")
    return problems
