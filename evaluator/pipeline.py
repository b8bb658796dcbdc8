"""The file to read first: an evaluation is a list of gates, and the first gate that rejects the candidate decides.

with Evaluator(get_backend("cpu")) as evaluator:
    record = evaluator.evaluate(task, candidate)
"""

from __future__ import annotations

import gc
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from time import monotonic
from types import TracebackType
from typing import Literal, NamedTuple

from evaluator.backends import Backend
from evaluator.errors import BaselineError, EvaluatorError, HostError, SandboxError, UsageError
from evaluator.gates import compile as compile_gate
from evaluator.gates import correctness, integrity, performance, quick, source, unseen
from evaluator.gates.baselines import time_baselines
from evaluator.gates.context import BaselineKernels, Context, checked, release
from evaluator.gates.recording import record_of, unseen_record_of
from evaluator.judge.device_lock import DeviceLock, NoDeviceLock
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.side import Runner, Side
from evaluator.judge.timing.session import CaseTimes
from evaluator.records.reasons import Flag
from evaluator.records.record import GateOutcome, Record
from evaluator.sandbox import STRONG_SANDBOX, Sandbox, Standby, WorkerError, open_sandbox
from evaluator.state import state_folder
from evaluator.tasks.candidate import Candidate, baseline, overlay
from evaluator.tasks.spec import TaskSpec
from evaluator.thresholds import SESSIONS
from evaluator.unseen.cases import UnseenCase
from evaluator.unseen.record import UnseenRecord

GATES = (source, compile_gate, correctness, performance, integrity)
SandboxKind = Literal["auto", "bubblewrap", "plain"]
SANDBOX_WALL_S = 3600.0
BASELINES_S = SANDBOX_WALL_S / 2  # age at which a new evaluation gets another sandbox for its baseline
# Errors that are not the candidate's fault. torch raises RuntimeError and MemoryError in the judge's own process: only
# running out of GPU memory has a class of its own.
FAULTS = (SandboxError, BaselineError, RuntimeError, MemoryError)


class GateVerdict(NamedTuple):
    """One verdict of a gate: `code` is a reason code, or the code of a finding."""

    gate: str
    kind: Literal["rejection", "hold", "finding"]
    code: str


class Fault(NamedTuple):
    """An evaluation error, as text. The exception itself would keep all tensors of its frames alive, 37 GB once."""

    text: str
    log: str
    of_sandbox: bool

    @classmethod
    def of(cls, error: Exception) -> Fault:
        log = "".join(traceback.format_exception(error))
        return cls(str(error), log, of_sandbox=isinstance(error, SandboxError))


class Evaluator:
    """Runs evaluations, one at a time. They share the backend, and sandboxes that are started ahead."""

    def __init__(self, backend: Backend, sandbox: SandboxKind = "auto", *, order_seed: int | None = None) -> None:
        """`order_seed`: an earlier record's, to repeat its orders on an emulated device; None: each time a new one."""
        self.backend, self._order_seed = backend, order_seed
        self._kind: SandboxKind = sandbox
        # A GPU host starts a sandbox for each side ahead; on a CPU host the second would slow down the evaluation.
        self._standby = Standby(self._open_sandbox, ahead=2 if backend.has_clock else 1)
        self._of_baselines: Sandbox | None = None  # the sandbox that baselines share
        self._baseline_kernels: BaselineKernels = {}
        card = re.sub(r"\W", "_", backend.host().facts.get("card_uuid", backend.name))
        self._device_lock = DeviceLock(state_folder() / "device_locks" / card) if backend.has_clock else NoDeviceLock()

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._drop_sandbox_of_baselines()
        self._standby.close()

    def evaluate(
        self,
        task: TaskSpec,
        candidate: Candidate,
        *,
        uploaded: bool = False,
        sessions: int = SESSIONS,
        quick: bool = False,
    ) -> Record:
        """Evaluate one candidate and return its record. Whatever the candidate does ends in a status.

        After an evaluation error everything is tried once more, with the device reserved. An `uploaded` candidate is
        untrusted and runs only in the strong sandbox. `sessions` is the least number of timed sessions per case on a
        host with a device clock; a case with a wide interval gets more. `quick`: a check that is never published, with
        the first draw of each name, one session, and T_dev alone.

        Raises:
            TaskError: the task breaks its own contract.
            HostError: this host lacks what the task needs, or the strong sandbox for an uploaded candidate.
            UsageError: there are no sessions, or no cases for this host, so the record would pass without any test.
        """
        self._refuse_weakness(uploaded)
        if sessions < 1 or not self.backend.cases(task):
            profiles = f"{' or '.join(self.backend.profiles)} with dtypes that {self.backend.architecture} has"
            raise UsageError(f"{task.id}: expected at least one session and one case of profile {profiles}")
        tried = partial(self._tried, task, candidate, 1 if quick else sessions, quick)
        record = self._at_most_twice(tried, task, candidate)
        return replace(record, flags=tuple(sorted({*record.flags, Flag.QUICK}))) if quick else record

    def _at_most_twice(self, tried: Callable[[], Record | Fault], task: TaskSpec, candidate: Candidate) -> Record:
        """Try once more after a fault, with the device reserved; after a second one make the record of both."""
        begin = monotonic()
        first = tried()
        if isinstance(first, Record):
            return first
        healthy = self._is_healthy()
        with self._device_lock.exclusive():
            second = tried()
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
        """Run baseline and candidate on unseen cases. Failures and errors on single cases go into the record.

        `round_digest` is the sha256 of the secret that the cases were generated from, `generator` the version of the
        generator.

        Raises:
            HostError: as for evaluate.
            UsageError: there are no cases, or some that this host does not run.
        """
        self._refuse_weakness(uploaded)
        if not cases or any(one.case.profile not in self.backend.profiles for one in cases):
            profiles = " or ".join(self.backend.profiles)
            raise UsageError(f"expected one or more cases, all of profile {profiles}")
        task = replace(task, cases=tuple(one.case for one in cases))
        record = self._attempt_unseen(task, candidate, cases, round_digest, generator)
        # Each case with a fault was tried twice, but beside other evaluations.
        if record.has_fault and isinstance(self._device_lock, DeviceLock):
            with self._device_lock.exclusive():
                return self._attempt_unseen(task, candidate, cases, round_digest, generator)
        return record

    def every_verdict(self, task: TaskSpec, candidate: Candidate) -> list[GateVerdict]:
        """Run every gate even after a rejection, and return all reasons in order, then all findings.

        The first reason is the one that `evaluate` gives. Gates that need a worker are skipped where the candidate
        cannot be loaded. A device clock is used for one session only.
        """
        verdicts, loaded = list[GateVerdict](), False
        with self._context(task, candidate) as context:
            context.sessions = 1
            for gate in GATES:
                if gate in (correctness, performance) and not loaded:
                    continue
                context.passed_over = []
                last = checked(gate, context)
                rejections = [*context.passed_over, *([last] if last else [])]
                verdicts += [GateVerdict(gate.NAME, "rejection", rejection.reason) for rejection in rejections]
                loaded = loaded or context.runner is not None
                if gate is not compile_gate:  # its worker is for the next gate
                    context.close_runner()
            for finding in context.findings:
                verdicts.append(
                    GateVerdict(finding.gate, "hold" if finding in context.held else "finding", finding.code)
                )
        return list(dict.fromkeys(verdicts))

    @contextmanager
    def loaded(self, task: TaskSpec, candidate: Candidate) -> Iterator[Context]:
        """Open a context whose runner has loaded the candidate as timing does, without red zones, alone on the device.

        Raises:
            UsageError: the candidate cannot be built or loaded.
        """
        with self._context(task, candidate) as context:
            try:
                rejection = compile_gate.load(context, cross_compile=False)
                context.close_runner()
                context.runner = None if rejection else context.candidate_side().runner(zones=False)
            except WorkerError as error:
                rejection = rejection_of(error)
            if rejection:
                raise UsageError(f"{task.id}: {rejection.sentence}")
            with self._device_lock.alone():
                yield context

    def time_baseline(self, task: TaskSpec, sessions: int) -> Iterator[dict[str, CaseTimes]]:
        """Yield A/A sessions: the task's baseline timed against itself, the times by full case. For calibration."""
        with self._context(task, baseline(task)) as context:
            yield from performance.against_itself(context, sessions)

    def look(self, task: TaskSpec, sessions: int) -> quick.Look:
        """Look quickly at the task's own baseline and right candidate; without the latter, at the baseline twice.

        Raises:
            BaselineError, WorkerError: a side does not build, or fails.
        """
        files = [baseline(task), overlay(task, task.solution, task.solution) if task.solution else baseline(task)]
        self._build_ahead(task, list({one.digest: one for one in files}.values()))
        with self._context(task, files[0], trusted=True) as ours, self._context(task, files[1], trusted=True) as theirs:
            return quick.look(ours, theirs, sessions)

    @contextmanager
    def trusted_runner(self, task: TaskSpec) -> Iterator[Runner]:
        """Open a worker with timing instruments that has loaded the task's baseline, alone on the device."""
        with self._context(task, baseline(task)) as context:
            side = context.baseline = context.candidate_side()
            if rejection := compile_gate.build_trusted(side, context):
                raise BaselineError(f"the baseline of {task.id}: {rejection.of_baseline}")
            with performance.clocked(context, side) as runner, performance.turn(context):
                yield runner

    def _build_ahead(self, task: TaskSpec, files: Sequence[Candidate]) -> None:
        """Build HIP sources into the store without holding the device, which other evaluations may wait for."""
        sides = [self._side(task, one) for one in files]
        try:
            quick.build_all(sides, self.backend)
        finally:
            for side in sides:
                side.give_up_sandbox()

    def _tried(self, task: TaskSpec, candidate: Candidate, sessions: int, quick: bool) -> Record | Fault:
        """Return the record or the fault, after freeing what the attempt used: a second attempt needs the memory."""
        try:
            return self._attempt(task, candidate, sessions, quick)
        except FAULTS as error:
            fault = Fault.of(error)
        self._drop_sandbox_of_baselines()
        gc.collect()
        release(self.backend)
        return fault

    def _attempt(self, task: TaskSpec, candidate: Candidate, sessions: int, quick: bool) -> Record:
        begin, started_at = monotonic(), datetime.now(UTC)
        with self._context(task, candidate) as context:
            context.sessions, context.is_quick = sessions, quick
            outcomes, rejection, gate = self._through_gates(context)
        context.seconds["total"] = monotonic() - begin
        return record_of(context, started_at, outcomes, rejection, gate)

    def _attempt_unseen(
        self, task: TaskSpec, candidate: Candidate, cases: Sequence[UnseenCase], round_digest: str, generator: str
    ) -> UnseenRecord:
        begin, started_at, waited_s = monotonic(), datetime.now(UTC), self._device_lock.waited_s
        with self._context(task, baseline(task), trusted=True) as ours, self._context(task, candidate) as theirs:
            trials = unseen.judge(ours, theirs, cases)
        theirs.seconds["closing"] += ours.seconds["closing"]
        theirs.seconds["turn"] = self._device_lock.waited_s - waited_s
        theirs.seconds["total"] = monotonic() - begin
        return unseen_record_of(theirs, started_at, trials, round_digest, generator)

    @contextmanager
    def _context(self, task: TaskSpec, candidate: Candidate, *, trusted: bool = False) -> Iterator[Context]:
        """Open the context of one evaluation; its sandboxes are closed at the end, but for one that baselines share.

        `trusted`: the candidate is the task's own baseline.
        """
        sides = list[Side]()

        def open_side(files: Candidate) -> Side:
            side = self._side(task, files)
            side.spending = context.spending
            if (files is context.baseline_files or trusted) and self._shares_sandboxes:
                side.take_sandbox = self._take_for_baseline
            sides.append(side)
            return side

        context = Context(
            task, candidate, baseline(task), self.backend, open_side, self._standby.settle, self._device_lock
        )
        context.baseline_kernels = self._baseline_kernels
        if self._order_seed is not None:
            context.order_seed = self._order_seed
        used, shared, waited_s = list[Sandbox](), self._of_baselines, self._device_lock.waited_s
        with self._device_lock.shared():
            try:
                yield context
            finally:
                with context.spending("closing"):
                    context.close_runner()
                    release(self.backend)
                    used += [side.sandbox for side in sides if side.sandbox is not None]
                    for sandbox in used:
                        if sandbox is not self._of_baselines:
                            sandbox.close()
        started_s = (sandbox.ready_s for sandbox in used if sandbox is not shared)
        context.seconds["sandbox_start"] = sum(started_s)
        context.seconds["turn"] = self._device_lock.waited_s - waited_s

    def _through_gates(self, context: Context) -> tuple[list[GateOutcome], Rejection | None, str | None]:
        """Run the gates in order until one rejects the candidate; return outcomes, the rejection and its gate."""
        outcomes, rejection, failed = list[GateOutcome](), None, None
        for gate in GATES:
            if rejection is not None:
                outcomes.append(GateOutcome(gate.NAME, "not_reached", 0.0))
                continue
            begin, waited_s = monotonic(), self._device_lock.waited_s
            with context.spending(gate.NAME):
                rejection = checked(gate, context)
            failed = gate.NAME if rejection else None
            took_s = monotonic() - begin - (self._device_lock.waited_s - waited_s)
            outcomes.append(GateOutcome(gate.NAME, "failed" if rejection else "passed", took_s))
        if rejection is None:
            time_baselines(context)
        return outcomes, rejection, failed

    def _refuse_weakness(self, uploaded: bool) -> None:
        if uploaded and (weak := self._standby.kind) != STRONG_SANDBOX:
            raise HostError(f"an uploaded candidate needs the {STRONG_SANDBOX} sandbox; this host has only {weak}")

    def _side(self, task: TaskSpec, files: Candidate) -> Side:
        return Side(
            task=task,
            cases=self.backend.cases(task),
            files=files.files,
            take_sandbox=self._standby.take,
            device=self.backend.torch_device,
            allocator=self.backend.allocator,
        )

    @property
    def _shares_sandboxes(self) -> bool:
        """Whether baselines of many evaluations run in one sandbox, each in workers of its own.

        No candidate can reach into a strong one, but with a device clock both sides use the device's memory.
        """
        return not self.backend.has_clock and self._standby.kind == STRONG_SANDBOX

    def _take_for_baseline(self) -> Sandbox:
        shared = self._of_baselines
        if shared is not None and shared.is_open and shared.has_worker:
            return self._standby.take()  # for a baseline beside the session's own
        if shared is None or not shared.is_open or shared.age_s > BASELINES_S:
            self._drop_sandbox_of_baselines()
            shared = self._of_baselines = self._standby.take()
        return shared

    def _drop_sandbox_of_baselines(self) -> None:
        if self._of_baselines is not None:
            self._of_baselines.close()
            self._of_baselines = None

    def _open_sandbox(self) -> Sandbox:
        limits = replace(self.backend.limits, wall_s=SANDBOX_WALL_S)
        return open_sandbox(self._kind, limits=limits, access=self.backend.access())

    def _is_healthy(self) -> bool:
        """Return whether a sandbox without any candidate starts and replies, and the device works."""
        try:
            with self._standby.take() as sandbox, sandbox.spawn(mailbox_bytes=1 << 16) as worker:
                worker.put("probe", b"probe")
                if self.backend.has_clock:
                    with self._device_lock.shared(), self._device_lock.alone():
                        performance.try_device(worker, self.backend)
        except (EvaluatorError, WorkerError):
            return False
        return True

    def _faulted(self, task: TaskSpec, candidate: Candidate, faults: tuple[Fault, Fault], charged: bool) -> Record:
        """Make the record after two faults; `charged` to the candidate if its sandbox broke twice on a healthy host."""
        context = Context(task, candidate, baseline(task), self.backend, lambda _: _never())
        context.log += [fault.log for fault in faults]
        rejection = Rejection("repeated_fault" if charged else "host_fault", faults[1].text)
        gates = [GateOutcome(gate.NAME, "not_reached", 0.0) for gate in GATES]
        if charged:
            gates[1] = GateOutcome(compile_gate.NAME, "failed", 0.0)
        return record_of(context, datetime.now(UTC), gates, rejection, compile_gate.NAME if charged else None)


def _never() -> Side:
    raise AssertionError("no gate runs after a fault")
