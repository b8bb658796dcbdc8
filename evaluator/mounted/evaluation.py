"""Evaluates candidates for mounted tasks: the same gates and records as for native ones, based on the task's scripts.

    record = ScriptEvaluator(get_backend("cpu")).evaluate(task, candidate)

The baseline is timed in the same session, before and after the candidate. If the task's own source fails in its own
scripts, the candidate is not judged.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import Literal, TypeVar

from evaluator import VERSION
from evaluator.backends import Backend
from evaluator.errors import HostError, SandboxError
from evaluator.gates.recording import log_of
from evaluator.judge.rejection import Rejection
from evaluator.mounted.checkout import STAGES, MountedTask, Stage
from evaluator.mounted.held_out import PROTOCOL, HeldOutRecord, held_out_record
from evaluator.mounted.obstacles import obstacle
from evaluator.mounted.session import ScriptSession
from evaluator.mounted.side import ScriptSide
from evaluator.records.reasons import Flag, Status
from evaluator.records.record import GATE_NAMES, SCHEMA_VERSION, GateOutcome, Record, SandboxRef, TaskRef
from evaluator.sandbox import STRONG_SANDBOX, Sandbox, open_sandbox
from evaluator.tasks.candidate import Candidate
from evaluator.unseen.injections import HeldOut, NotInjectable

PRETENDED_LIMIT_S = 900.0  # of one command when kernels are interpreted
PROCESSES, WORKSPACE_BYTES = 512, 4 << 30  # Triton compiles in separate processes
T = TypeVar("T")
Kind = Literal["auto", "bubblewrap", "plain"]


class ScriptEvaluator:
    """Evaluates candidates for mounted tasks on one backend; after a fault of the host it tries once more."""

    def __init__(
        self, backend: Backend, sandbox: Kind = "auto", tell: Callable[[str], object] = lambda line: None
    ) -> None:
        """`tell` gets a line before each command that is run, since some take an hour."""
        self.backend, self._tell = backend, tell
        self._kind: Kind = sandbox

    def evaluate(self, task: MountedTask, candidate: Candidate, *, uploaded: bool = False) -> Record:
        """The record of one candidate.

        Raises:
            TaskError: the checkout was edited during the evaluation.
            HostError: this host cannot run the task, or lacks the strong sandbox for an uploaded candidate.
        """
        self._refuse(task)
        return _with_one_retry(
            lambda: self._attempt(task, candidate, uploaded), lambda error: self._faulted_record(task, candidate, error)
        )

    def evaluate_held_out(
        self, task: MountedTask, candidate: Candidate, held_out: HeldOut, *, uploaded: bool = False
    ) -> HeldOutRecord:
        """The record of both sides on held-out shapes, which replace those in the sandboxes' copies of the scripts.

        A failure of either side is data. Raises like `evaluate`.
        """
        self._refuse(task)

        def faulted(error: SandboxError) -> HeldOutRecord:
            rejections = (_fault(error), _fault(error))
            return held_out_record(
                ScriptSession(task, candidate), held_out, rejections, self.backend, datetime.now(UTC), None
            )

        return _with_one_retry(lambda: self._held_out(task, candidate, held_out, uploaded), faulted)

    def _held_out(self, task: MountedTask, candidate: Candidate, held_out: HeldOut, uploaded: bool) -> HeldOutRecord:
        begin, started_at, session = monotonic(), datetime.now(UTC), ScriptSession(task, candidate)
        theirs: Mapping[str, bytes] = {**task.files, **candidate.files}
        try:
            theirs = held_out.into(theirs)
        except NotInjectable as error:  # the candidate's file also has the task's shapes, and it changed them
            session.rejection = Rejection("protected_file", str(error))
        with self._sides(task, held_out.into(task.files), theirs, uploaded) as (baseline, other):
            rejections = session.run_apart(baseline, other)
            sandbox = SandboxRef(other.sandbox.kind, other.sandbox.strength)
        session.seconds["total"] = monotonic() - begin
        return held_out_record(session, held_out, rejections, self.backend, started_at, sandbox)

    def _refuse(self, task: MountedTask) -> None:
        if text := obstacle(task, self.backend):
            raise HostError(f"{task.id} cannot run here: {text}")

    def _attempt(self, task: MountedTask, candidate: Candidate, uploaded: bool) -> Record:
        begin, started_at, session = monotonic(), datetime.now(UTC), ScriptSession(task, candidate)
        with self._sides(task, task.files, {**task.files, **candidate.files}, uploaded) as (baseline, other):
            session.run(baseline, other)
            sandbox = SandboxRef(other.sandbox.kind, other.sandbox.strength)
        session.seconds["total"] = monotonic() - begin
        return _record(session, self.backend, started_at, sandbox)

    @contextmanager
    def _sides(
        self, task: MountedTask, ours: Mapping[str, bytes], theirs: Mapping[str, bytes], uploaded: bool
    ) -> Iterator[tuple[ScriptSide, ScriptSide]]:
        """The baseline and the candidate with these files, each in its own sandbox."""
        pretend = not self.backend.has_clock
        limits_s = {stage: PRETENDED_LIMIT_S if pretend else task.limits_s[stage] for stage in STAGES}
        with self._sandbox(limits_s) as one, self._sandbox(limits_s) as other:
            if uploaded and other.kind != STRONG_SANDBOX:
                raise HostError(
                    f"an uploaded candidate needs the {STRONG_SANDBOX} sandbox; this host offers {other.kind}"
                )
            yield (
                ScriptSide(task, ours, one, pretend, limits_s, self._told("baseline")),
                ScriptSide(task, theirs, other, pretend, limits_s, self._told("candidate")),
            )

    def _told(self, side: str) -> Callable[[str], object]:
        return lambda line: self._tell(f"{side}: {line}")

    def _sandbox(self, limits_s: dict[Stage, float]) -> Sandbox:
        longest_s = max(limits_s.values())
        limits = replace(
            self.backend.limits,
            cpu_s=int(longest_s) * 4,  # a command may use several processors
            wall_s=8 * longest_s,
            processes=PROCESSES,
            workspace_bytes=WORKSPACE_BYTES,
        )
        return open_sandbox(self._kind, limits=limits, access=self.backend.access())

    def _faulted_record(self, task: MountedTask, candidate: Candidate, error: SandboxError) -> Record:
        session = ScriptSession(task, candidate)
        session.rejection = _fault(error)
        session.outcomes = [GateOutcome(name, "not_reached", 0.0) for name in GATE_NAMES]
        return _record(session, self.backend, datetime.now(UTC), None)


def _with_one_retry(attempt: Callable[[], T], faulted: Callable[[SandboxError], T]) -> T:
    """The result of an attempt; after a fault of the host, of a second attempt; after another, of `faulted`."""
    try:
        return attempt()
    except SandboxError:
        try:
            return attempt()
        except SandboxError as second:
            return faulted(second)


def _fault(error: SandboxError) -> Rejection:
    return Rejection("host_fault", str(error), "".join(traceback.format_exception(error)))


def _record(session: ScriptSession, backend: Backend, started_at: datetime, sandbox: SandboxRef | None) -> Record:
    rejection, functional = session.rejection, not backend.has_clock
    cases = session.times.cases(functional) if session.times and rejection is None else ()
    flags = session.flags | ({Flag.SCRIPT_TIMED, Flag.FUNCTIONAL} if cases and functional else {Flag.SCRIPT_TIMED})
    return Record(
        schema=SCHEMA_VERSION,
        protocol=PROTOCOL,
        evaluator=VERSION,
        started_at=started_at.isoformat(timespec="seconds"),
        task=TaskRef(session.task.id, session.task.digest, session.task.category),
        candidate=session.candidate_files.ref(),
        baseline_kind="eager" if session.task.writes_from_nothing else "source",
        host=backend.host(),
        sandbox=sandbox,
        status=rejection.status if rejection else Status.PASSED,
        gate=session.gate,
        reason=rejection.reason if rejection else None,
        message=rejection.sentence if rejection else None,
        flags=tuple(sorted(flags)),
        findings=tuple(session.findings),
        gates=tuple(session.outcomes),
        cases=cases,
        isa=(),
        isa_checked={},
        seconds={name: round(seconds, 4) for name, seconds in session.seconds.items()},
        log=log_of(session.printed or (rejection.log if rejection else "")),  # nothing is printed after a host fault
    )
