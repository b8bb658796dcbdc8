"""What held-out shapes say of one candidate for a mounted task: both sides' verdicts, by the task's own scripts.

Those scripts check all shapes in one command, so there is one verdict a side for all of them, and times by shape where
both sides are right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from evaluator import VERSION, codec
from evaluator.backends import Backend
from evaluator.judge.rejection import Rejection
from evaluator.mounted.session import ScriptSession
from evaluator.records.reasons import Flag
from evaluator.records.record import LOG_BYTES, CandidateRef, CaseRecord, Finding, HostInfo, SandboxRef, TaskRef
from evaluator.unseen.injections import HeldOut
from evaluator.unseen.record import NOT_OF_THE_SIDE, Quadrant, SideOutcome, problems_of_outcome, quadrant_of

PROTOCOL = "aka-scripts-1"  # never ranked with the judge's own protocol
HELD_OUT_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class HeldOutRecord:
    schema: int
    protocol: str
    evaluator: str
    held_out: str  # sha256 of the held_out_shapes.yaml
    replaced: tuple[str, ...]  # files of the task that hold other shapes now
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
        return quadrant_of(self.baseline_outcome, self.candidate_outcome)

    @property
    def text(self) -> str:
        """The quadrant and a line a side."""
        sides = (("baseline", self.baseline_outcome), ("candidate", self.candidate_outcome))
        lines = (f"{name}: {outcome.message or 'right on all of them'}" for name, outcome in sides)
        return "\n".join((f"held-out shapes: {self.quadrant}", *lines))


def write_held_out(record: HeldOutRecord, path: Path) -> None:
    """Write atomically; raises codec.DecodeError where the record breaks its own rules."""
    codec.write(record, path, problems_of)


def problems_of(record: HeldOutRecord) -> list[str]:
    problems = []
    if record.schema != HELD_OUT_SCHEMA_VERSION:
        problems.append(f"schema: seen {record.schema}; expected {HELD_OUT_SCHEMA_VERSION}")
    if bool(record.cases) != (record.quadrant == "both_pass"):
        problems.append("cases: times must stand exactly where both sides are right")
    problems += [f"baseline_outcome: {text}" for text in problems_of_outcome(record.baseline_outcome)]
    problems += [f"candidate_outcome: {text}" for text in problems_of_outcome(record.candidate_outcome)]
    return problems


def held_out_record(
    session: ScriptSession,
    held_out: HeldOut,
    said: tuple[Rejection | None, Rejection | None],
    backend: Backend,
    started_at: datetime,
    sandbox: SandboxRef | None,
) -> HeldOutRecord:
    """`said`: why the baseline and the candidate did not get through; None where they did."""
    functional = not backend.has_clock
    cases = session.times.cases(functional) if session.times and said == (None, None) else ()
    flags = session.flags | ({Flag.SCRIPT_TIMED, Flag.FUNCTIONAL} if cases and functional else {Flag.SCRIPT_TIMED})
    log = session.printed or "\n".join(rejection.log for rejection in said if rejection)
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
        baseline_outcome=_outcome(said[0]),
        candidate_outcome=_outcome(said[1]),
        cases=tuple(replace(case, split="unseen") for case in cases),
        seconds={name: round(seconds, 4) for name, seconds in session.seconds.items()},
        log=log[-LOG_BYTES:],
    )


def _outcome(rejection: Rejection | None) -> SideOutcome:
    if rejection is None:
        return SideOutcome(True, None, None, draws=1, relative_rmse=None, allowed_rmse=None)
    correct = None if rejection.status in NOT_OF_THE_SIDE else False
    return SideOutcome(correct, rejection.reason, rejection.sentence, 0, None, None)
