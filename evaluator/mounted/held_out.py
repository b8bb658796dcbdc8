"""The record of one candidate on held-out shapes of a mounted task, with the outcomes of both sides.

The task's own scripts check all shapes in one command, so there is one outcome per side for all shapes; if both sides
are correct, there are times for each shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from evaluator import VERSION, codec
from evaluator.backends import Backend
from evaluator.gates.recording import log_of
from evaluator.judge.rejection import Rejection
from evaluator.mounted.session import ScriptSession
from evaluator.records.reasons import Flag
from evaluator.records.record import CandidateRef, CaseRecord, Finding, HostInfo, SandboxRef, TaskRef
from evaluator.unseen.injections import HeldOut
from evaluator.unseen.record import NOT_JUDGED_STATUSES, Quadrant, SideOutcome, problems_of_outcome, quadrant_of

PROTOCOL = "aka-scripts-1"  # never ranked together with the native protocol
HELD_OUT_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class HeldOutRecord:
    schema: int
    protocol: str
    evaluator: str
    held_out: str  # sha256 of the held_out_shapes.yaml
    replaced: tuple[str, ...]  # files of the task with replaced shapes
    started_at: str  # ISO 8601, UTC
    task: TaskRef
    candidate: CandidateRef
    host: HostInfo
    sandbox: SandboxRef | None
    flags: tuple[Flag, ...]
    findings: tuple[Finding, ...]
    baseline_outcome: SideOutcome
    candidate_outcome: SideOutcome
    cases: tuple[CaseRecord, ...]
    seconds: Mapping[str, float]
    log: str

    @property
    def quadrant(self) -> Quadrant:
        return quadrant_of(self.baseline_outcome.correct, self.candidate_outcome.correct)

    @property
    def text(self) -> str:
        """The quadrant, and one line for each side."""
        sides = (("baseline", self.baseline_outcome), ("candidate", self.candidate_outcome))
        lines = (f"{name}: {outcome.message or 'correct on all of them'}" for name, outcome in sides)
        return "\n".join((f"held-out shapes: {self.quadrant}", *lines))


def write_held_out(record: HeldOutRecord, path: Path) -> None:
    """Write a record atomically; raises codec.DecodeError if it breaks the rules of `problems_of`."""
    codec.write(record, path, problems_of)


def problems_of(record: HeldOutRecord) -> list[str]:
    problems = []
    if record.schema != HELD_OUT_SCHEMA_VERSION:
        problems.append(f"schema: seen {record.schema}; expected {HELD_OUT_SCHEMA_VERSION}")
    if bool(record.cases) != (record.quadrant == "both_pass"):
        problems.append("cases: times are required where both sides are correct, and only there")
    problems += [f"baseline_outcome: {text}" for text in problems_of_outcome(record.baseline_outcome)]
    problems += [f"candidate_outcome: {text}" for text in problems_of_outcome(record.candidate_outcome)]
    return problems


def held_out_record(
    session: ScriptSession,
    held_out: HeldOut,
    rejections: tuple[Rejection | None, Rejection | None],
    backend: Backend,
    started_at: datetime,
    sandbox: SandboxRef | None,
) -> HeldOutRecord:
    """The record; `rejections` are why the baseline and the candidate failed, or None where they did not."""
    functional = not backend.has_clock
    cases = session.times.cases(functional) if session.times and rejections == (None, None) else ()
    flags = session.flags | ({Flag.SCRIPT_TIMED, Flag.FUNCTIONAL} if cases and functional else {Flag.SCRIPT_TIMED})
    log = session.printed or "\n".join(rejection.log for rejection in rejections if rejection)
    return HeldOutRecord(
        schema=HELD_OUT_SCHEMA_VERSION,
        protocol=PROTOCOL,
        evaluator=VERSION,
        held_out=held_out.digest,
        replaced=held_out.files,
        started_at=started_at.isoformat(timespec="seconds"),
        task=TaskRef(session.task.id, session.task.digest, session.task.category),
        candidate=session.candidate_files.ref(),
        host=backend.host(),
        sandbox=sandbox,
        flags=tuple(sorted(flags)),
        findings=tuple(session.findings),
        baseline_outcome=_outcome(rejections[0]),
        candidate_outcome=_outcome(rejections[1]),
        cases=tuple(replace(case, split="unseen") for case in cases),
        seconds={name: round(seconds, 4) for name, seconds in session.seconds.items()},
        log=log_of(log),
    )


def _outcome(rejection: Rejection | None) -> SideOutcome:
    if rejection is None:
        return SideOutcome(True, None, None, draws=1, relative_rmse=None, allowed_rmse=None)
    correct = None if rejection.status in NOT_JUDGED_STATUSES else False
    return SideOutcome(correct, rejection.reason, rejection.sentence, 0, None, None)
