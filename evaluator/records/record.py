"""The record of one evaluation as versioned JSON: the same from the evaluator, in bundles and in the site's archive.

The status decides which fields are filled; `problems_of` has those rules, and `read_record` refuses what breaks them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Literal

from evaluator import codec
from evaluator.records.measurements import FUNCTIONAL, BaselineTimes, Clock, Ratio, TimingSession, problems_of_times
from evaluator.records.reasons import REASONS, Flag, Status

SCHEMA_VERSION = 1
PROTOCOL = "arena-3"  # how the judge times; whatever changes a number changes this name
# Seconds that run beside parts of an evaluation, and inside them: sandboxes that start ahead, and compilers.
BESIDE = ("sandbox_start", "build_cpu", "build_cuda", "build_rocm", "build_gfx942", "build_gfx950")
OWN_PROTOCOLS = "arena-"  # how the names of the judge's own protocols begin, past ones included
LOG_BYTES = 20_000  # characters of the beginning and end of what was printed
GATE_NAMES = ("source", "compile", "correctness", "performance", "integrity")
# Registers and scratch per lane, LDS per workgroup, occupancy in waves per SIMD.
ISA_NUMBERS = (
    *("vgpr", "agpr", "sgpr", "lds_bytes", "scratch_bytes", "vgpr_spills", "sgpr_spills", "occupancy"),
    *("mfma", "code_bytes", "num_warps", "num_stages"),
)
# The configuration of a HIP kernel's numbers for gfx950: clang's code for gfx942, device libraries included, through
# another LLVM than the one that the numbers for gfx942 are from.
TRANSLATED = "translated from gfx942"


@dataclass(frozen=True, slots=True)
class TaskRef:
    id: str
    digest: str
    category: str


@dataclass(frozen=True, slots=True)
class CandidateRef:
    """The submitted files; `digest` is the sha256 over their sorted (path, sha256)."""

    digest: str
    files: Mapping[str, str]  # path → sha256
    label: str  # who submitted it: the agent's name, or the folder's


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
    """An observation for readers of a result, which rejects nothing."""

    gate: str
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class KernelCoverage:
    """What kernels of the candidate's own did in the call of a case in which they did least.

    `launches`: of at least one program or block. `written`: the share of each output that they wrote, as it was
    returned; None where this host cannot tell. `copied`: outputs that torch copied or converted from what they wrote.
    `busy`: their share of the device's time, where calls were traced.
    """

    launches: int
    written: Mapping[str, float | None]
    copied: tuple[str, ...] = ()
    whole: float | None = field(default=None, metadata=codec.ADDED_LATER)  # the share of all outputs' bytes together
    busy: float | None = field(default=None, metadata=codec.ADDED_LATER)

    @property
    def shares(self) -> list[float]:
        return [share for share in (*self.written.values(), self.whole, self.busy) if share is not None]


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """The results of one case: its correctness and, if the candidate passed, its times."""

    id: str
    axes: Mapping[str, int | str | bool]
    profile: Literal["small", "full"]
    split: Literal["seen", "unseen"]
    correct: bool
    draws: int  # draws that were checked and correct
    relative_rmse: float | None  # worst over draws and outputs; where outputs are judged by relations, of those
    allowed_rmse: float | None  # the bound of the worst one
    baseline_rmse: float | None
    first_call_ms: float | None
    clocks: Mapping[str, Clock]
    speedup: float | None  # on T_dev; never on functional times
    ratio: Ratio | None = None
    sessions: tuple[TimingSession, ...] = ()
    coverage: KernelCoverage | None = field(
        default=None, metadata=codec.ADDED_LATER
    )  # None where this host cannot tell
    baselines: Mapping[str, BaselineTimes] = field(default_factory=dict, metadata=codec.ADDED_LATER)  # by kind


@dataclass(frozen=True, slots=True)
class IsaReport:
    """The compiler's numbers for one kernel in one configuration on `target`; a number it does not give is None."""

    side: Literal["baseline", "candidate"]
    target: str
    kernel: str
    configuration: str  # element types, constants and options of a Triton launch, or TRANSLATED
    error: str | None  # why the kernel does not run on the target
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
    gate: str | None  # the gate that rejected the candidate
    reason: str | None
    message: str | None  # one sentence
    flags: tuple[Flag, ...]
    findings: tuple[Finding, ...]
    gates: tuple[GateOutcome, ...]
    cases: tuple[CaseRecord, ...]
    isa: tuple[IsaReport, ...]
    isa_checked: Mapping[str, str]  # target → "compiled", "failed" or "not checked: …", of the candidate
    seconds: Mapping[str, float]  # see `parts`; `turn` is the wait for other evaluations, which no gate's time includes
    log: str
    order_seed: int | None = field(
        default=None, metadata=codec.ADDED_LATER
    )  # of programs and lanes; None where a real device decides

    def gate_passed(self, name: str) -> bool:
        return any(gate.name == name and gate.outcome == "passed" for gate in self.gates)

    @property
    def parts(self) -> dict[str, float]:
        """The seconds of each part, longest first. A second is in one part; together they are the total.

        A gate's name has what its named parts leave. Up to arena-2 the parts of a gate counted in its own time, too.
        """
        parts = {name: spent for name, spent in self.seconds.items() if name != "total" and name not in BESIDE}
        return dict(sorted(parts.items(), key=lambda part: -part[1]))

    @property
    def compiled(self) -> bool:
        return self.gate_passed("compile")

    @property
    def correct(self) -> bool:
        """Whether every gate passed: a candidate that a later gate rejects, as for forged output, was not correct."""
        return self.status is Status.PASSED

    def mean_log(self, value: Callable[[Ratio], float | None]) -> float | None:
        """Mean of `value` over the eligible cases; None if there is none, a case has no ratio, or a value is missing.

        Applied to the bounds of the cases' intervals, it gives the task's interval under fully correlated errors: the
        cases share their sessions.
        """
        ratios = [case.ratio for case in self.cases if case.ratio is not None]
        eligible = [value(ratio) for ratio in ratios if ratio.eligible]
        known = [one for one in eligible if one is not None]
        whole = self.correct and len(ratios) == len(self.cases) and len(known) == len(eligible)
        return fmean(known) if whole and known else None


def why_private(record: Record) -> str | None:
    """Return why no bundle, run folder or site takes the record; None for one that may be published."""
    if Flag.QUICK in record.flags:
        return "a quick check, with fewer draws, sessions and clocks, is never published; evaluate without --quick"
    return None


def write_record(record: Record, path: Path) -> None:
    """Write a record atomically, unless it breaks the rules of `problems_of`. A private one cannot be read again.

    Raises:
        codec.DecodeError: the record is inconsistent.
    """
    codec.write(record, path, problems_of)


def read_record(text: str | bytes) -> Record:
    """Read and check one record that may be published.

    Raises:
        codec.DecodeError: with every problem.
    """
    return codec.read(Record, text, _problems_of_published)


def problems_of(record: Record) -> list[str]:
    """Sentences on every rule between status and fields that this record breaks."""
    problems = []
    if record.schema != SCHEMA_VERSION:
        problems.append(f"schema: seen {record.schema}; expected {SCHEMA_VERSION}")
    if [gate.name for gate in record.gates] != list(GATE_NAMES):
        problems.append(f"gates: expected {', '.join(GATE_NAMES)} in this order")
    if Flag.SCRIPT_TIMED in record.flags and record.protocol.startswith(OWN_PROTOCOLS):
        problems.append(f"protocol: a task's own script timed it, so it cannot be {record.protocol}")
    problems += _problems_of_pass(record) if record.status is Status.PASSED else _problems_of_failure(record)
    for case in record.cases:
        problems += [f"cases.{case.id}: {text}" for text in _problems_of_case(case)]
    problems += problems_of_case_ids([case.id for case in record.cases])
    if any(seconds < 0 for seconds in record.seconds.values()):
        problems.append("seconds: a negative duration")
    return problems


def _problems_of_published(record: Record) -> list[str]:
    private = why_private(record)
    return [*([f"flags: {private}"] if private else []), *problems_of(record)]


def problems_of_case_ids(ids: Sequence[str]) -> list[str]:
    """Sentences on every case that is listed more than once."""
    return [f"cases.{name}: listed {count} times" for name, count in Counter(ids).items() if count > 1]


def _problems_of_pass(record: Record) -> list[str]:
    problems = []
    if record.gate or record.reason or record.message:
        problems.append("status passed: gate, reason and message must be null")
    if not record.cases:
        problems.append("status passed: there are no cases")
    if not all(gate.outcome == "passed" for gate in record.gates):
        problems.append("status passed: a gate did not pass")
    for case in record.cases:
        if not case.correct or case.draws < 1 or not case.clocks:
            problems.append(f"cases.{case.id}: status passed needs a correct and timed case with a draw")
    functional = any(FUNCTIONAL in case.clocks for case in record.cases)
    if functional != (Flag.FUNCTIONAL in record.flags):
        problems.append("flags: functional is required with functional times, and only then")
    return problems


def _problems_of_failure(record: Record) -> list[str]:
    problems = []
    if REASONS.get(record.reason or "", (None,))[0] is not record.status:
        problems.append(f"reason: seen {record.reason!r}; expected a reason of status {record.status.value}")
    if not record.message:
        problems.append(f"status {record.status.value}: a message is missing")
    if any(case.clocks or case.baselines or case.speedup is not None for case in record.cases):
        problems.append(f"status {record.status.value}: cases cannot have clocks or a speedup")
    failed = [gate.name for gate in record.gates if gate.outcome == "failed"]
    if failed != ([record.gate] if record.gate else []):
        problems.append(f"gate: seen {record.gate!r}; the failed gates are {failed}")
    if record.gate is None and record.status not in (Status.ERRORED, Status.NOT_JUDGED):
        problems.append(f"status {record.status.value}: the gate is missing")
    return problems


def _problems_of_case(case: CaseRecord) -> list[str]:
    problems = problems_of_times(case.clocks, case.ratio)
    if case.coverage and any(not 0 <= share <= 1 for share in case.coverage.shares):
        problems.append("coverage: a share is between 0 and 1")
    if any(not min(one.time_ms, one.own_ms, one.ratio) > 0 for one in case.baselines.values()):
        problems.append("baselines: a time or a ratio that is not positive")
    if case.speedup is not None and (case.speedup <= 0 or not set(case.clocks) - {FUNCTIONAL}):
        problems.append("a speedup needs a positive ratio on a clock that is not functional")
    return problems
