"""Runs a recorded candidate again under the profiler, in the sandbox, and reports what the device did in each case."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from statistics import median

from evaluator.activity.comparison import compare_case
from evaluator.errors import UsageError
from evaluator.gates.context import Context
from evaluator.gates.plain.own_kernels import own_kernels
from evaluator.judge.draws import Draw
from evaluator.judge.rejection import rejection_of
from evaluator.judge.traces import (
    TRACED_DRAW,
    TracedCall,
    TraceUnreadable,
    kineto_calls,
    rocprof_calls,
    traced,
)
from evaluator.pipeline import Evaluator
from evaluator.records.activity import ACTIVITY_SCHEMA_VERSION, ActivityReport, CaseActivity
from evaluator.records.measurements import T_DEV
from evaluator.records.record import HostInfo, Record
from evaluator.sandbox import WorkerError
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import Case, TaskSpec
from evaluator.thresholds import FLUSH_FACTOR

CALLS, WARMUPS = 10, 2  # of each case, traced and before


def audit_record(evaluator: Evaluator, task: TaskSpec, candidate: Candidate, record: Record) -> ActivityReport:
    """Trace every case of the record that has a T_dev, and compare.

    Raises:
        UsageError: record, task and candidate do not belong together, there is no T_dev, or the candidate fails now.
        TraceUnreadable: the profiler recorded no whole calls.
    """
    cases = timed_cases(task, candidate, record)
    found = list[CaseActivity]()
    with evaluator.loaded(task, candidate) as context:
        for case, t_dev_ns in cases.values():
            try:
                calls = kineto_calls(_traced(context, case), len(task.outputs))
            except WorkerError as error:
                raise UsageError(f"{task.id}, case {case.id}: {rejection_of(error).sentence}") from error
            found.append(compare_case(case.id, t_dev_ns, calls, own_kernels(candidate.files)))
    return _report(record, "CUPTI through torch's kineto", found, evaluator.backend.host())


def audit_recorded(task: TaskSpec, candidate: Candidate, record: Record, files: Mapping[str, str]) -> ActivityReport:
    """Compare with what rocprofv3 recorded: calls of the record's timed cases, in their order, equally many of each.

    Raises:
        UsageError, TraceUnreadable: as `audit_record`.
    """
    cases = timed_cases(task, candidate, record)
    calls, names = rocprof_calls(files, len(task.outputs)), own_kernels(candidate.files)
    each, rest = divmod(len(calls), len(cases))
    if rest:
        raise TraceUnreadable(f"{len(calls)} calls were recorded for {len(cases)} cases; expected equally many of each")
    parts: list[list[TracedCall]] = [calls[index * each : (index + 1) * each] for index in range(len(cases))]
    found = [compare_case(name, cases[name][1], part, names) for name, part in zip(cases, parts, strict=True)]
    return _report(record, "rocprofv3", found, record.host)


def timed_cases(task: TaskSpec, candidate: Candidate, record: Record) -> dict[str, tuple[Case, float]]:
    """Return the record's cases with a T_dev in ns, by id.

    Raises:
        UsageError: as `audit_record`.
    """
    if record.task.digest != task.digest:
        raise UsageError(f"the record is of {record.task.id} {record.task.digest[:12]}, the task is {task.digest[:12]}")
    if record.candidate.digest != candidate.digest:
        raise UsageError(f"the record is of candidate {record.candidate.digest[:12]}, seen {candidate.digest[:12]}")
    cases = {case.id: case for case in task.cases}
    times = {one.id: one.clocks[T_DEV].candidate_ms for one in record.cases if T_DEV in one.clocks}
    if not times:
        raise UsageError("the record has no T_dev: it failed, or comes from a host without a device clock")
    return {name: (cases[name], median(values) * 1e6) for name, values in times.items() if name in cases}


def _report(record: Record, profiler: str, cases: list[CaseActivity], host: HostInfo) -> ActivityReport:
    return ActivityReport(
        schema=ACTIVITY_SCHEMA_VERSION,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        task=record.task,
        candidate=record.candidate.digest,
        record_started_at=record.started_at,
        host=host,
        profiler=profiler,
        cases=tuple(cases),
    )


def _traced(context: Context, case: Case) -> bytes:
    """Return the profiler's trace of CALLS calls, each with new contents."""
    assert context.runner is not None
    runner = context.runner
    contents = [context.contents(case, Draw("standard", "standard", TRACED_DRAW + index)) for index in range(CALLS)]
    runner.compile(case, contents[0])
    for _ in range(WARMUPS):
        runner.call(case, contents[0])
    flush_bytes = FLUSH_FACTOR * context.backend.cache_bytes
    return traced(runner, [(case, one) for one in contents], flush_bytes)
