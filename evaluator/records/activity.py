"""The report of an audit by the profiler's activity trace: what the device did, beside the times of one record."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluator import codec
from evaluator.records.moments import is_timestamp
from evaluator.records.record import HostInfo, TaskRef

ACTIVITY_SCHEMA_VERSION = 1
TITLE = "activity trace"  # a summary begins with it
Verdict = Literal["agree", "disagree"]


@dataclass(frozen=True, slots=True)
class KernelActivity:
    """Kernels, copies or fills of one name: how many a call, and nanoseconds a call."""

    name: str
    launches: float
    ns: float
    is_own: bool  # a kernel that the candidate's sources define


@dataclass(frozen=True, slots=True)
class CaseActivity:
    """One case: medians over its traced calls, in nanoseconds, beside the record's T_dev."""

    id: str
    t_dev_ns: float
    calls: int
    busy_ns: float  # in which the device did anything for the call
    span_ns: float  # from the first begin to the last end
    late_ns: float  # of work that ran only when the output was read
    own_share: float | None  # of the candidate's own kernels in all work; None if there was none
    kernels: tuple[KernelActivity, ...]
    verdict: Verdict
    text: str


@dataclass(frozen=True, slots=True)
class ActivityReport:
    schema: int
    made_at: str  # ISO 8601, UTC
    task: TaskRef
    candidate: str  # digest
    record_started_at: str  # which evaluation of the candidate
    host: HostInfo
    profiler: str
    cases: tuple[CaseActivity, ...]

    @property
    def verdict(self) -> Verdict:
        return "disagree" if any(case.verdict == "disagree" for case in self.cases) else "agree"


def write_activity(report: ActivityReport, path: Path) -> None:
    """Write a report atomically; raises codec.DecodeError if it breaks the rules of `problems_of`."""
    codec.write(report, path, problems_of)


def read_activity(text: str | bytes) -> ActivityReport:
    """Read and check one report; raises codec.DecodeError with every problem."""
    return codec.read(ActivityReport, text, problems_of)


def problems_of(report: ActivityReport) -> list[str]:
    """Sentences on every rule that this report breaks."""
    problems = []
    if report.schema != ACTIVITY_SCHEMA_VERSION:
        problems.append(f"schema: seen {report.schema}; expected {ACTIVITY_SCHEMA_VERSION}")
    if not report.cases:
        problems.append("cases: there are none")
    if not is_timestamp(report.made_at):
        problems.append(f"made_at: seen {report.made_at!r:.80}; expected a timestamp with its time zone")
    for case in report.cases:
        times = (case.busy_ns, case.span_ns, case.late_ns, *(kernel.ns for kernel in case.kernels))
        if case.calls < 1 or case.t_dev_ns <= 0 or min(times) < 0:
            problems.append(f"cases.{case.id}: expected calls, a T_dev above 0 and no time below 0")
    return problems


def summary(report: ActivityReport) -> str:
    """The report as lines of plain text: the verdict, then each case with its times, share and longest work."""
    where = f"{report.host.device_class} by {report.profiler}, {report.made_at}"
    lines = [f"{TITLE}: {report.verdict} ({where})"]
    for case in report.cases:
        share = "no work" if case.own_share is None else f"own kernels {100 * case.own_share:.0f} %"
        lines.append(
            f"{case.verdict}: {case.id}: T_dev {case.t_dev_ns / 1e3:.1f} us, busy {case.busy_ns / 1e3:.1f}, "
            f"span {case.span_ns / 1e3:.1f}, late {case.late_ns / 1e3:.1f}, {share}; {case.text}"
        )
        for kernel in case.kernels:
            mark = "own" if kernel.is_own else "other"
            lines.append(f"  {kernel.ns / 1e3:.1f} us in {kernel.launches:.4g} a call ({mark}): {kernel.name}")
    return "\n".join(lines)
