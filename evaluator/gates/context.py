"""The state of one evaluation, which every gate reads and adds to."""

from __future__ import annotations

import functools
import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import get_ident
from time import monotonic
from traceback import clear_frames
from types import ModuleType, TracebackType
from typing import Any

import torch

from evaluator.backends import Backend
from evaluator.errors import SandboxError
from evaluator.judge.compare import Deviation
from evaluator.judge.device_lock import DeviceLock, NoDeviceLock
from evaluator.judge.draws import Contents, Draw, Seed, contents_of, draws_of, first_draws
from evaluator.judge.quantization import ContractEvidence
from evaluator.judge.random_outputs import CallsEvidence
from evaluator.judge.reference import Reference
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.sampling import Evidence
from evaluator.judge.side import Runner, Side, trusted_runner
from evaluator.judge.timing.clocks import OtherClocks
from evaluator.judge.timing.outside import OutsideTimes
from evaluator.judge.timing.session import CaseTimes
from evaluator.records.calibration import DeviceCalibration, read_calibration
from evaluator.records.measurements import BaselineTimes, Clock, Ratio, TimingSession
from evaluator.records.reasons import Flag
from evaluator.records.record import Finding, IsaReport, KernelCoverage
from evaluator.sandbox import WorkerError, WorkerFault
from evaluator.tasks.candidate import Candidate, foreign_files, is_library_line
from evaluator.tasks.spec import Case, TaskSpec
from evaluator.thresholds import SESSIONS

# What workers reported of the kernels that baselines launch, by digest of the task and its cases: the same every time.
BaselineKernels = dict[tuple[str, ...], list[dict[str, Any]]]
ORDER_SEED_BITS = 48  # a JSON number that every reader keeps exactly


@dataclass(slots=True)
class CaseState:
    """The state of one case, from which its CaseRecord is made."""

    case: Case
    correct: bool = False
    draws: int = 0
    relative_rmse: float | None = None
    allowed_rmse: float | None = None
    baseline_errors: dict[str, Deviation | None] = field(default_factory=dict)  # by draw's name
    least_scales: dict[str, dict[str, float]] = field(default_factory=dict)  # draw's name → output's name → scale
    first_call_ms: float | None = None
    samples: dict[str, Evidence] = field(default_factory=dict)  # by output of sampled outcomes
    numbers: dict[str, CallsEvidence] = field(default_factory=dict)  # by other random output
    contracts: dict[str, ContractEvidence] = field(default_factory=dict)  # by output with a contract
    coverage: KernelCoverage | None = None
    clocks: dict[str, Clock] = field(default_factory=dict)
    sessions: list[TimingSession] = field(default_factory=list)  # on the device clock, void ones too
    times: list[CaseTimes] = field(default_factory=list)  # of the sessions that count
    others: list[OtherClocks] = field(default_factory=list)
    outside: OutsideTimes | None = None  # taken in the first session
    ratio: Ratio | None = None
    baselines: dict[str, BaselineTimes] = field(default_factory=dict)  # further ones, by kind

    @property
    def evidence(self) -> dict[str, Evidence | CallsEvidence]:
        """What the calls have shown of each random output."""
        return {**self.samples, **self.numbers}


@dataclass
class Context:
    task: TaskSpec
    candidate_files: Candidate
    baseline_files: Candidate
    backend: Backend
    open_side: Callable[[Candidate], Side]  # a candidate's has a sandbox of its own, baselines may share one
    settle: Callable[[], None] = lambda: None  # waits until no sandbox is being started beside the timed work
    device_lock: DeviceLock | NoDeviceLock = field(default_factory=NoDeviceLock)
    sessions: int = SESSIONS  # on the device clock; more where the interval stays wide
    is_quick: bool = False  # first draws of each name, and no clock but T_dev: a check, never a result
    seed: Seed = field(default_factory=Seed)
    order_seed: int = field(default_factory=lambda: secrets.randbits(ORDER_SEED_BITS))  # on an emulated device
    cases: dict[str, CaseState] = field(default_factory=dict)
    flags: set[Flag] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    isa: list[IsaReport] = field(default_factory=list)
    isa_checked: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)  # see `spending`
    candidate: Side | None = None
    baseline: Side | None = None
    runner: Runner | None = None  # the candidate's worker, kept from the compile gate to the correctness gate
    at_work: CaseState | None = None  # the case being timed, or whose times are being checked
    passed_over: list[Rejection] | None = None  # of every_verdict; None: the first rejection ends its gate
    held: list[Finding] = field(default_factory=list)  # the findings that put the result on hold
    baseline_kernels: BaselineKernels = field(default_factory=dict)
    _reference: Reference | None = None
    _thread: int = field(default_factory=get_ident)
    _spending: list[str] = field(default_factory=list)  # the names of the blocks that are being counted
    _counted_at: float = 0.0

    @property
    def reference(self) -> Reference:
        if self._reference is None:
            self._reference = Reference(self.task, device=self.backend.torch_device)
        return self._reference

    @property
    def emulates(self) -> bool:
        """Whether this host emulates a device, so that it chooses orders and can put guard pages next to buffers."""
        return self.backend.torch_device == "cpu"

    @functools.cached_property
    def foreign_files(self) -> list[str]:
        return foreign_files(self.candidate_files, self.task)

    @property
    def requirements(self) -> tuple[str, ...]:
        """The forms that the task's contracts ask of a source."""
        contracts = (output.contract for output in self.task.outputs if output.contract is not None)
        return tuple(sorted({form for contract in contracts for form in contract.requires}))

    @functools.cached_property
    def is_library_line(self) -> bool:
        return is_library_line(self.candidate_files, self.task)

    @property
    def draws(self) -> tuple[Draw, ...]:
        """The draws to check on every case."""
        return first_draws(self.task) if self.is_quick else draws_of(self.task)

    @property
    def clock_covers_streams(self) -> bool:
        return self.backend.clock_covers_streams

    def order(self, case: Case, draw: Draw, *, guarded: bool = False) -> int:
        """Return the seed of the orders of programs and lanes in one call; 0 where they are not drawn."""
        if not self.emulates:
            return 0
        words = "\0".join(map(str, (self.order_seed, case.id, draw.kind, draw.name, draw.index, guarded)))
        return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=8).digest(), "big") >> 1 or 1

    def contents(self, case: Case, draw: Draw) -> Contents:
        """Draw the inputs on the device of the judge: a full case takes seconds on a CPU."""
        with self.spending("contents"):
            return contents_of(self.task, case, draw, self.seed, self.backend.torch_device)

    @functools.cached_property
    def calibration(self) -> DeviceCalibration | None:
        """This host's device calibration; None if it was never calibrated or has no device clock."""
        return read_calibration(self.backend.host()) if self.backend.has_clock else None

    @contextmanager
    def spending(self, name: str) -> Iterator[None]:
        """Add the block's time to `seconds[name]`, without that of blocks within it and of waiting for the device.

        So each second counts once. What runs in another thread runs beside the evaluation, and counts nowhere.
        """
        if get_ident() != self._thread:
            yield
            return
        self._count()
        self._spending.append(name)
        try:
            yield
        finally:
            self._count()
            self._spending.pop()

    def _count(self) -> None:
        """Add the time since the last change of blocks to the innermost one."""
        now = monotonic() - self.device_lock.waited_s
        if self._spending:
            name = self._spending[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._counted_at
        self._counted_at = now

    def hold(self, finding: Finding) -> None:
        """Add the finding and put the result on hold: valid and shown, but not ranked until a person reviews it."""
        self.findings.append(finding)
        self.held.append(finding)
        self.flags.add(Flag.HOLD)

    def decides(self, rejection: Rejection) -> bool:
        """Return whether this rejection ends its gate. In `every_verdict` it is only noted, and the gate goes on."""
        if self.passed_over is None:
            return True
        self.passed_over.append(rejection)
        return False

    def charged(self, rejection: Rejection | None) -> Rejection | None:
        """Return the rejection, where it is the candidate's own fault, with the limit that it met.

        Raises:
            SandboxError: memory ran out while another evaluation was using the device.
        """
        if rejection and rejection.reason == "out_of_memory" and self.device_lock.in_use_by_others():
            raise SandboxError("memory ran out while another evaluation was using the device")
        if rejection and rejection.reason == "out_of_memory" and self.backend.torch_device == "cpu":
            limit = f"it may use {self.task.limits.memory_mb} MiB"
            return replace(rejection, detail=f"{rejection.detail}; {limit}" if rejection.detail else limit)
        return rejection

    def candidate_side(self) -> Side:
        if self.candidate is None:
            self.candidate = self.open_side(self.candidate_files)
        return self.candidate

    @contextmanager
    def fresh_baseline(self) -> Iterator[Runner]:
        """Open a baseline worker in a new sandbox: the candidate may have affected the session's own baseline worker.

        Timing goes on afterwards, so at the end the sandbox is closed and the start of its replacement awaited. Until
        then others may use the device: its first call compiles, for a minute in the worst case.
        """
        assert self.baseline is not None
        side = self.open_side(self.baseline_files)
        side.product, side.kernels = self.baseline.product, self.baseline.kernels
        with self.device_lock.interrupted():
            try:
                with trusted_runner(side) as runner:
                    yield runner
            finally:
                side.give_up_sandbox()
                self.settle()

    def give_way(self) -> None:
        """Let waiting sessions of other evaluations go first. Call between two cases, when no tensors are held."""
        if self.backend.has_clock:
            release(self.backend)
            self.device_lock.give_way()

    def close_runner(self) -> None:
        if self.runner is not None and self.candidate is not None:
            self.candidate.close(self.runner.worker)
            self.runner = None

    def renew(self) -> None:
        """Close the candidate's sandbox after a fault, so that its next worker starts in a new one."""
        with suppress(SandboxError):
            self.close_runner()
        self.runner = None
        if self.candidate is not None:
            self.candidate.give_up_sandbox()


def release(backend: Backend) -> None:
    """Return torch's cached memory to the device, which other evaluations use too (four of them filled 140 GB)."""
    if backend.torch_device != "cpu":
        torch.cuda.empty_cache()


def let_go(backend: Backend, _: object, __: object, trace: TracebackType | None) -> None:
    """Free a session's memory on exit: the frames of an exception's traceback would hold a case's slabs."""
    clear_frames(trace)
    release(backend)


def checked(gate: ModuleType, context: Context) -> Rejection | None:
    """Run one gate; the death of a worker becomes a rejection too."""
    try:
        found: Rejection | None = gate.check(context)
    except WorkerError as error:
        if not isinstance(error, WorkerFault):  # after which the worker goes on
            context.close_runner()
        found = rejection_of(error)
    return context.charged(found)
