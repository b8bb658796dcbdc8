"""What one evaluation says, as versioned JSON: the same from the evaluator, in a bundle and in the database's archive.

The status decides which fields exist; `problems_of` holds those rules and `read_record` refuses what breaks them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Literal

from evaluator import codec
from evaluator.records.measurements import FUNCTIONAL, Clock, Ratio, TimingSession, problems_of_times
from evaluator.records.reasons import REASONS, Flag, Status

SCHEMA_VERSION = 1
PROTOCOL = "arena-1"
LOG_BYTES = 20_000  # the end of what was printed
YEARS = range(2020, 2100)
GATE_NAMES = ("source", "compile", "correctness", "performance", "integrity")
# Registers and scratch per lane, LDS per workgroup, occupancy in waves per SIMD.
ISA_NUMBERS = (
    *("vgpr", "agpr", "sgpr", "lds_bytes", "scratch_bytes", "vgpr_spills", "sgpr_spills", "occupancy"),
    *("mfma", "code_bytes", "num_warps", "num_stages"),
)


@dataclass(frozen=True, slots=True)
class TaskRef:
    id: str
    digest: str
    category: str


@dataclass(frozen=True, slots=True)
class CandidateRef:
    """`digest` is sha256 over the sorted (path, sha256) of the files handed in."""

    digest: str
    files: Mapping[str, str]  # path → sha256
    label: str  # who handed it in: an agent's name, or the folder


@dataclass(frozen=True, slots=True)
class HostInfo:
    backend: str
    device_class: str
    architecture: str
    facts: Mapping[str, str]  # versions of torch, triton, compiler; processor


@dataclass(frozen=True, slots=True)
class SandboxRef:
    kind: str
    strength: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GateOutcome:
    name: str
    outcome: Literal["passed", "failed", "not_reached"]
    seconds: float


@dataclass(frozen=True, slots=True)
class Finding:
    """Something worth knowing that fails nobody."""

    gate: str
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """One case: what was checked and, after a pass, what was timed."""

    id: str
    axes: Mapping[str, int | str | bool]
    profile: Literal["small", "full"]
    split: Literal["seen", "unseen"]
    correct: bool
    draws: int  # judged draws that were right
    relative_rmse: float | None  # worst over draws and outputs
    allowed_rmse: float | None  # the bound that the worst one was held to
    baseline_rmse: float | None
    first_call_ms: float | None
    clocks: Mapping[str, Clock]
    speedup: float | None  # on T_dev; never on functional times
    ratio: Ratio | None = None
    sessions: tuple[TimingSession, ...] = ()


@dataclass(frozen=True, slots=True)
class IsaReport:
    """What the compiler for `target` says about one kernel in one configuration; what it does not give is None."""

    side: Literal["baseline", "candidate"]
    target: str
    kernel: str
    configuration: str  # element types, constants and options of a Triton launch
    error: str | None  # why it does not run on the target
    numbers: Mapping[str, int | None]  # by the names in ISA_NUMBERS


@dataclass(frozen=True, slots=True)
class Record:
    schema: int
    protocol: str
    evaluator: str
    started_at: str  # ISO 8601, UTC
    task: TaskRef
    candidate: CandidateRef
    baseline_kind: Literal["source", "eager"]
    host: HostInfo
    sandbox: SandboxRef | None
    status: Status
    gate: str | None  # the gate that turned the candidate away
    reason: str | None
    message: str | None  # one sentence
    flags: tuple[Flag, ...]
    findings: tuple[Finding, ...]
    gates: tuple[GateOutcome, ...]
    cases: tuple[CaseRecord, ...]
    isa: tuple[IsaReport, ...]
    isa_checked: Mapping[str, str]  # target → the candidate's: "compiled", "failed" or "not checked: …"
    seconds: Mapping[str, float]  # `turn`, waited for other evaluations, is a part of `total` and of no gate
    log: str

    def gate_passed(self, name: str) -> bool:
        return any(gate.name == name and gate.outcome == "passed" for gate in self.gates)

    @property
    def compiled(self) -> bool:
        return self.gate_passed("compile")

    @property
    def correct(self) -> bool:
        """Every gate says so: what a later one turns away, for forging or for an answer of another call, was not."""
        return self.status is Status.PASSED

    def mean_log(self, value: Callable[[Ratio], float | None]) -> float | None:
        """Mean over eligible cases; None without one, and where any case lacks its ratio or an eligible one the value.

        Of the intervals' ends it makes the interval of a task whose cases all err together: they share their sessions.
        """
        ratios = [case.ratio for case in self.cases if case.ratio is not None]
        eligible = [value(ratio) for ratio in ratios if ratio.eligible]
        known = [one for one in eligible if one is not None]
        whole = self.correct and len(ratios) == len(self.cases) and len(known) == len(eligible)
        return fmean(known) if whole and known else None


def write_record(record: Record, path: Path) -> None:
    """Write atomically; a record that breaks its own rules is our fault and is never written.

    Raises:
        codec.DecodeError: the record is inconsistent.
    """
    codec.write(record, path, problems_of)


def read_record(text: str | bytes) -> Record:
    """Read and check one record.

    Raises:
        codec.DecodeError: with every problem.
    """
    return codec.read(Record, text, problems_of)


def problems_of(record: Record) -> list[str]:
    """Every rule between status and fields that this record breaks."""
    problems = []
    if record.schema != SCHEMA_VERSION:
        problems.append(f"schema: seen {record.schema}; expected {SCHEMA_VERSION}")
    if [gate.name for gate in record.gates] != list(GATE_NAMES):
        problems.append(f"gates: expected {', '.join(GATE_NAMES)} in this order")
    if Flag.SCRIPT_TIMED in record.flags and record.protocol == PROTOCOL:
        problems.append(f"protocol: what a task's own script timed is not {PROTOCOL}")
    problems += _problems_of_pass(record) if record.status is Status.PASSED else _problems_of_failure(record)
    for case in record.cases:
        problems += [f"cases.{case.id}: {text}" for text in _problems_of_case(case)]
    problems += problems_of_names([case.id for case in record.cases])
    if any(seconds < 0 for seconds in record.seconds.values()):
        problems.append("seconds: a negative duration")
    return problems


def is_timestamp(text: str) -> bool:
    """ISO 8601 with a time zone, of our time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return moment.tzinfo is not None and moment.year in YEARS


def problems_of_names(ids: Sequence[str]) -> list[str]:
    """A case has one verdict."""
    return [f"cases.{name}: stands {count} times" for name, count in Counter(ids).items() if count > 1]


def _problems_of_pass(record: Record) -> list[str]:
    problems = []
    if record.gate or record.reason or record.message:
        problems.append("status passed: leave gate, reason and message out")
    if not record.cases:
        problems.append("status passed: no case was judged")
    if not all(gate.outcome == "passed" for gate in record.gates):
        problems.append("status passed: a gate is not passed")
    for case in record.cases:
        if not case.correct or case.draws < 1 or not case.clocks:
            problems.append(f"cases.{case.id}: status passed needs a correct, judged and timed case")
    functional = any(FUNCTIONAL in case.clocks for case in record.cases)
    if functional != (Flag.FUNCTIONAL in record.flags):
        problems.append("flags: functional must stand exactly where functional times do")
    return problems


def _problems_of_failure(record: Record) -> list[str]:
    problems = []
    if REASONS.get(record.reason or "", (None,))[0] is not record.status:
        problems.append(f"reason: seen {record.reason!r}; expected a reason of status {record.status.value}")
    if not record.message:
        problems.append(f"status {record.status.value}: a message is missing")
    if any(case.clocks or case.speedup is not None for case in record.cases):
        problems.append(f"status {record.status.value}: leave clocks and speedup out")
    failed = [gate.name for gate in record.gates if gate.outcome == "failed"]
    if failed != ([record.gate] if record.gate else []):
        problems.append(f"gate: seen {record.gate!r}; the gates say {failed}")
    if record.gate is None and record.status not in (Status.ERRORED, Status.NOT_JUDGED):
        problems.append(f"status {record.status.value}: the gate is missing")
    return problems


def _problems_of_case(case: CaseRecord) -> list[str]:
    problems = problems_of_times(case.clocks, case.ratio)
    if case.speedup is not None and (case.speedup <= 0 or not set(case.clocks) - {FUNCTIONAL}):
        problems.append("a speedup needs a positive ratio on a clock that is not functional")
    return problems
