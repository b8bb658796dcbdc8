"""What one evaluation has learned so far; every gate reads and adds to it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from traceback import clear_frames
from types import ModuleType, TracebackType

import torch

from evaluator.backends import Backend
from evaluator.errors import SandboxError
from evaluator.judge.compare import Deviation
from evaluator.judge.device_lock import NoTurn, Turn
from evaluator.judge.draws import Contents, Draw, Seed, contents_of
from evaluator.judge.reference import Reference
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.side import Runner, Side, trusted_runner
from evaluator.judge.timing.clocks import OtherClocks
from evaluator.judge.timing.session import CaseTimes
from evaluator.records.calibration import DeviceCalibration, read_calibration
from evaluator.records.measurements import Clock, Ratio, TimingSession
from evaluator.records.reasons import Flag
from evaluator.records.record import Finding, IsaReport
from evaluator.sandbox import WorkerError, WorkerFault
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import Case, TaskSpec
from evaluator.thresholds import SESSIONS


@dataclass(slots=True)
class CaseState:
    """What is known of one case; becomes a CaseRecord."""

    case: Case
    correct: bool = False
    draws: int = 0
    relative_rmse: float | None = None
    allowed_rmse: float | None = None
    baseline_errors: dict[str, Deviation | None] = field(default_factory=dict)  # by the draw's name
    least_scales: dict[str, dict[str, float]] = field(default_factory=dict)  # by the draw's name and the output's
    first_call_ms: float | None = None
    clocks: dict[str, Clock] = field(default_factory=dict)
    sessions: list[TimingSession] = field(default_factory=list)  # on the device clock, void ones too
    times: list[CaseTimes] = field(default_factory=list)  # of the sessions that count
    others: list[OtherClocks] = field(default_factory=list)
    ratio: Ratio | None = None


@dataclass
class Context:
    task: TaskSpec
    candidate_files: Candidate
    baseline_files: Candidate
    backend: Backend
    open_side: Callable[[Candidate], Side]  # a side with a sandbox of its own
    settle: Callable[[], None] = lambda: None  # waits until nothing of ours works beside what is timed
    turn: Turn | NoTurn = field(default_factory=NoTurn)  # on the device, which others may use, too
    sessions: int = SESSIONS  # of the device clock; more where the interval stays wide
    seed: Seed = field(default_factory=Seed)
    cases: dict[str, CaseState] = field(default_factory=dict)
    flags: set[Flag] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    isa: list[IsaReport] = field(default_factory=list)
    isa_checked: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    candidate: Side | None = None
    baseline: Side | None = None
    runner: Runner | None = None  # the candidate's worker, kept from the compile gate to the correctness gate
    at_work: CaseState | None = None  # the case that is being timed, or whose times are looked at
    passed_over: list[Rejection] | None = None  # an audit's; None: the first rejection ends its gate
    held: list[Finding] = field(default_factory=list)  # those of the findings that hold the result
    _reference: Reference | None = None

    @property
    def reference(self) -> Reference:
        if self._reference is None:
            self._reference = Reference(self.task, device=self.backend.torch_device)
        return self._reference

    @property
    def runs_reversed(self) -> bool:
        """Are contents kept, and asked for again in the opposite order? A GPU has no order to reverse."""
        return self.backend.torch_device == "cpu"

    def contents(self, case: Case, draw: Draw) -> Contents:
        """Made where the judge computes: a full case takes seconds on a CPU."""
        return contents_of(self.task, case, draw, self.seed, self.backend.torch_device)

    @functools.cached_property
    def calibration(self) -> DeviceCalibration | None:
        """What is known of this host's device; None where nobody measured it."""
        return read_calibration(self.backend.host()) if self.backend.has_clock else None

    @contextmanager
    def spending(self, name: str) -> Iterator[None]:
        """Adds the seconds of its block to the record's, under this name, without what it waited for its turn."""
        begin, waited_s = monotonic(), self.turn.waited_s
        try:
            yield
        finally:
            spent_s = monotonic() - begin - (self.turn.waited_s - waited_s)
            self.seconds[name] = self.seconds.get(name, 0.0) + spent_s

    def hold(self, finding: Finding) -> None:
        """Valid and shown, but not ranked until a person has looked."""
        self.findings.append(finding)
        self.held.append(finding)
        self.flags.add(Flag.HOLD)

    def decides(self, rejection: Rejection) -> bool:
        """Does this rejection end its gate? In an audit it is noted, and the gate goes on."""
        if self.passed_over is None:
            return True
        self.passed_over.append(rejection)
        return False

    def charged(self, rejection: Rejection | None) -> Rejection | None:
        """The same, if it is the candidate's.

        Raises:
            SandboxError: memory ran out on a device that another evaluation uses, too.
        """
        if rejection and rejection.reason == "out_of_memory" and self.turn.has_company():
            raise SandboxError("memory ran out on a device that another evaluation uses too")
        return rejection

    def candidate_side(self) -> Side:
        if self.candidate is None:
            self.candidate = self.open_side(self.candidate_files)
        return self.candidate

    @contextmanager
    def fresh_baseline(self) -> Iterator[Runner]:
        """In a sandbox of its own: the session's worker is one that a candidate's work may have reached.

        Cases are timed after it, so its sandbox ends, and the one that is started in its place has started.
        """
        assert self.baseline is not None
        side = self.open_side(self.baseline_files)
        side.product = self.baseline.product
        try:
            with trusted_runner(side) as runner:
                yield runner
        finally:
            side.give_up_sandbox()
            self.settle()

    def give_way(self) -> None:
        """Between two cases, when nothing holds the last one's tensors: a session of another evaluation goes first."""
        if self.backend.has_clock:
            release(self.backend)
            self.turn.give_way()

    def close_runner(self) -> None:
        if self.runner is not None and self.candidate is not None:
            self.candidate.close(self.runner.worker)
            self.runner = None

    def renew(self) -> None:
        """After a fault of ours: the candidate's next worker gets a sandbox in which nothing has happened."""
        with suppress(SandboxError):
            self.close_runner()
        self.runner = None
        if self.candidate is not None:
            self.candidate.give_up_sandbox()


def release(backend: Backend) -> None:
    """Give back what torch keeps for later: others use the device, too (four evaluations filled 140 GB)."""
    if backend.torch_device != "cpu":
        torch.cuda.empty_cache()


def let_go(backend: Backend, _: object, __: object, trace: TracebackType | None) -> None:
    """At the end of a session: the frames of what failed hold a case's slabs, and the others come first."""
    clear_frames(trace)
    release(backend)


def checked(gate: ModuleType, context: Context) -> Rejection | None:
    """What a gate returns; the end of a worker is a rejection, too."""
    try:
        found: Rejection | None = gate.check(context)
    except WorkerError as error:
        if not isinstance(error, WorkerFault):  # which its worker outlives
            context.close_runner()
        found = rejection_of(error)
    return context.charged(found)
