"""The file to read first: one evaluation is a list of gates, and the first that turns the candidate away decides.

with Evaluator(get_backend("cpu")) as evaluator:
    record = evaluator.evaluate(task, candidate)
"""

from __future__ import annotations

import gc
import re
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from types import TracebackType
from typing import Literal, NamedTuple

from evaluator.backends import Backend
from evaluator.errors import BaselineError, EvaluatorError, HostError, SandboxError, UsageError
from evaluator.gates import compile as compile_gate
from evaluator.gates import correctness, integrity, performance, source, unseen
from evaluator.gates.context import Context, checked, release
from evaluator.gates.recording import record_of, unseen_record_of
from evaluator.judge.device_lock import NoTurn, Turn
from evaluator.judge.rejection import Rejection
from evaluator.judge.side import Runner, Side
from evaluator.judge.timing.session import CaseTimes
from evaluator.records.record import GateOutcome, Record
from evaluator.sandbox import STRONG_SANDBOX, Sandbox, Standby, WorkerError, open_sandbox
from evaluator.state import state_folder
from evaluator.tasks.candidate import Candidate, baseline
from evaluator.tasks.spec import TaskSpec
from evaluator.thresholds import SESSIONS
from evaluator.unseen.cases import UnseenCase
from evaluator.unseen.record import UnseenRecord

GATES = (source, compile_gate, correctness, performance, integrity)
SandboxKind = Literal["auto", "bubblewrap", "plain"]
SANDBOX_WALL_S = 3600.0
# Ours in an evaluation. RuntimeError and MemoryError are torch's: only a GPU's lack of memory has a class of its own.
FAULTS = (SandboxError, BaselineError, RuntimeError, MemoryError)


class Said(NamedTuple):
    """What one gate says in an audit: `code` is a reason, or the code of a finding."""

    gate: str
    kind: Literal["rejection", "hold", "finding"]
    code: str


class Fault(NamedTuple):
    """One of ours in an evaluation. Not the error itself: it would keep every tensor of its frames, 37 GB once."""

    text: str
    log: str
    of_sandbox: bool

    @classmethod
    def of(cls, error: Exception) -> Fault:
        log = "".join(traceback.format_exception(error))
        return cls(str(error), log, of_sandbox=isinstance(error, SandboxError))


class Evaluator:
    """Holds what evaluations share: the backend, and a sandbox started ahead. One evaluation at a time."""

    def __init__(self, backend: Backend, sandbox: SandboxKind = "auto") -> None:
        self.backend = backend
        self._kind: SandboxKind = sandbox
        self._standby = Standby(
            self._open_sandbox, ahead=2 if backend.has_clock else 1
        )  # one a side; a CPU has better to do
        card = re.sub(r"\W", "_", backend.host().facts.get("card_uuid", backend.name))
        self._turn = Turn(state_folder() / "turns" / card) if backend.has_clock else NoTurn()

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._standby.close()

    def evaluate(
        self, task: TaskSpec, candidate: Candidate, *, uploaded: bool = False, sessions: int = SESSIONS
    ) -> Record:
        """Judge one candidate. Whatever the candidate does is a status; our own fault is tried once more, with the
        device to itself.

        An `uploaded` candidate comes from outside and never runs in less than the strong sandbox. `sessions` of the
        device clock, where the host has one; more where an interval stays wide.

        Raises:
            TaskError: the task breaks its own contract.
            HostError: this host lacks what the task needs, or the strong sandbox for an uploaded candidate.
            UsageError: no session, or no case that this host runs: nothing would be judged, and nothing be wrong.
        """
        self._refuse_weakness(uploaded)
        if sessions < 1 or not self.backend.cases(task):
            profiles = " or ".join(self.backend.profiles)
            raise UsageError(f"{task.id}: at least one session and one case of profile {profiles} are expected")
        begin = monotonic()
        first = self._tried(task, candidate, sessions)
        if isinstance(first, Record):
            return first
        healthy = self._is_healthy()
        with self._turn.exclusive():
            second = self._tried(task, candidate, sessions)
        if isinstance(second, Record):
            return second
        charged = first.of_sandbox and second.of_sandbox and healthy and self._is_healthy()
        record = self._faulted(task, candidate, (first, second), charged)
        return replace(record, seconds={"total": round(monotonic() - begin, 4)})

    def evaluate_unseen(
        self,
        task: TaskSpec,
        candidate: Candidate,
        cases: Sequence[UnseenCase],
        *,
        round_digest: str,
        generator: str,
        uploaded: bool = False,
    ) -> UnseenRecord:
        """Baseline and candidate on unseen cases; what fails on one of them is data, and so is a fault of ours there.

        `round_digest`: sha256 of the secret that the cases follow from. `generator`: the version of what made them.

        Raises:
            HostError: as evaluate. UsageError: no cases, or such as this host does not run.
        """
        self._refuse_weakness(uploaded)
        if not cases or any(one.case.profile not in self.backend.profiles for one in cases):
            raise UsageError(f"cases of profile {' or '.join(self.backend.profiles)} are expected, and at least one")
        task = replace(task, cases=tuple(one.case for one in cases))
        record = self._attempt_unseen(task, candidate, cases, round_digest, generator)
        if record.has_fault and isinstance(self._turn, Turn):  # each such case was tried twice, beside others
            with self._turn.exclusive():
                return self._attempt_unseen(task, candidate, cases, round_digest, generator)
        return record

    def audit(self, task: TaskSpec, candidate: Candidate) -> list[Said]:
        """What every gate says, none stopping another: reasons in order, then findings.

        The first reason is the one `evaluate` gives. What needs a worker is not reached by what cannot be loaded. One
        session of the device clock.
        """
        said, loaded = list[Said](), False
        with self._context(task, candidate) as context:
            context.sessions = 1
            for gate in GATES:
                if gate in (correctness, performance) and not loaded:
                    continue
                context.passed_over = []
                last = checked(gate, context)
                rejections = [*context.passed_over, *([last] if last else [])]
                said += [Said(gate.NAME, "rejection", rejection.reason) for rejection in rejections]
                loaded = loaded or context.runner is not None
                if gate is not compile_gate:  # which leaves its worker to the next gate
                    context.close_runner()
            for finding in context.findings:
                said.append(Said(finding.gate, "hold" if finding in context.held else "finding", finding.code))
        return list(dict.fromkeys(said))

    def time_baseline(self, task: TaskSpec, sessions: int) -> Iterator[dict[str, CaseTimes]]:
        """Sessions of a task's baseline as both sides, by full case: what a host measures itself with."""
        with self._context(task, baseline(task)) as context:
            yield from performance.against_itself(context, sessions)

    @contextmanager
    def trusted_runner(self, task: TaskSpec) -> Iterator[Runner]:
        """A worker with instruments that holds a task's baseline."""
        with self._context(task, baseline(task)) as context:
            side = context.baseline = context.candidate_side()
            if rejection := compile_gate.build_trusted(side, context):
                raise BaselineError(f"the baseline of {task.id}: {rejection.of_baseline}")
            with performance.clocked(context, side) as runner:
                yield runner

    def _tried(self, task: TaskSpec, candidate: Candidate, sessions: int) -> Record | Fault:
        """A fault is said once nothing is left of the attempt: the second one, and others, need its memory."""
        try:
            return self._attempt(task, candidate, sessions)
        except FAULTS as error:
            fault = Fault.of(error)
        gc.collect()
        release(self.backend)
        return fault

    def _attempt(self, task: TaskSpec, candidate: Candidate, sessions: int) -> Record:
        begin, started_at = monotonic(), datetime.now(UTC)
        with self._context(task, candidate) as context:
            context.sessions = sessions
            outcomes, rejection, gate = self._through_gates(context)
        context.seconds["total"] = monotonic() - begin
        return record_of(context, started_at, outcomes, rejection, gate)

    def _attempt_unseen(
        self, task: TaskSpec, candidate: Candidate, cases: Sequence[UnseenCase], round_digest: str, generator: str
    ) -> UnseenRecord:
        begin, started_at = monotonic(), datetime.now(UTC)
        with self._context(task, baseline(task)) as ours, self._context(task, candidate) as theirs:
            trials = unseen.judge(ours, theirs, cases)
        theirs.seconds["total"] = monotonic() - begin
        return unseen_record_of(theirs, started_at, trials, round_digest, generator)

    @contextmanager
    def _context(self, task: TaskSpec, candidate: Candidate) -> Iterator[Context]:
        """One evaluation's context; the sandboxes of its sides are closed at the end."""
        sides = list[Side]()

        def open_side(files: Candidate) -> Side:
            side = self._side(task, files)
            sides.append(side)
            return side

        context = Context(task, candidate, baseline(task), self.backend, open_side, self._standby.settle, self._turn)
        used, waited_s = list[Sandbox](), self._turn.waited_s
        with self._turn.shared():
            try:
                yield context
            finally:
                context.close_runner()
                release(self.backend)
                used += [side.sandbox for side in sides if side.sandbox is not None]
                for sandbox in used:
                    sandbox.close()
        context.seconds["sandbox_start"] = sum(sandbox.ready_s for sandbox in used)  # mostly while others worked
        context.seconds["sandbox"] = sum(side.spawn_s for side in sides)  # waited for
        context.seconds["turn"] = self._turn.waited_s - waited_s  # for other evaluations on the device

    def _through_gates(self, context: Context) -> tuple[list[GateOutcome], Rejection | None, str | None]:
        """Run the gates in order; after the first rejection the rest is not reached."""
        outcomes, rejection, failed = list[GateOutcome](), None, None
        for gate in GATES:
            if rejection is not None:
                outcomes.append(GateOutcome(gate.NAME, "not_reached", 0.0))
                continue
            with context.spending(gate.NAME):
                rejection = checked(gate, context)
            failed = gate.NAME if rejection else None
            outcomes.append(GateOutcome(gate.NAME, "failed" if rejection else "passed", context.seconds[gate.NAME]))
        return outcomes, rejection, failed

    def _refuse_weakness(self, uploaded: bool) -> None:
        if uploaded and (weak := self._standby.kind) != STRONG_SANDBOX:
            raise HostError(f"an uploaded candidate needs the {STRONG_SANDBOX} sandbox; this host offers {weak}")

    def _side(self, task: TaskSpec, files: Candidate) -> Side:
        return Side(
            task=task,
            cases=self.backend.cases(task),
            files=files.files,
            take_sandbox=self._standby.take,
            device=self.backend.torch_device,
            allocator=self.backend.allocator,
        )

    def _open_sandbox(self) -> Sandbox:
        limits = replace(self.backend.limits, wall_s=SANDBOX_WALL_S)
        return open_sandbox(self._kind, limits=limits, access=self.backend.access())

    def _is_healthy(self) -> bool:
        """Does a sandbox without any candidate start and answer, and its device compute?"""
        try:
            with self._standby.take() as sandbox, sandbox.spawn(mailbox_bytes=1 << 16) as worker:
                worker.put("probe", b"probe")
                if self.backend.has_clock:
                    with self._turn.shared(), self._turn.alone():
                        performance.try_device(worker, self.backend)
        except (EvaluatorError, WorkerError):
            return False
        return True

    def _faulted(self, task: TaskSpec, candidate: Candidate, faults: tuple[Fault, Fault], charged: bool) -> Record:
        """Two faults of ours on one candidate; `charged` if its sandbox broke twice on a host that is healthy."""
        context = Context(task, candidate, baseline(task), self.backend, lambda _: _never())
        context.log += [fault.log for fault in faults]
        rejection = Rejection("repeated_fault" if charged else "host_fault", faults[1].text)
        gates = [GateOutcome(gate.NAME, "not_reached", 0.0) for gate in GATES]
        if charged:
            gates[1] = GateOutcome(compile_gate.NAME, "failed", 0.0)
        return record_of(context, datetime.now(UTC), gates, rejection, compile_gate.NAME if charged else None)


def _never() -> Side:
    raise AssertionError("no gate runs after a fault")
