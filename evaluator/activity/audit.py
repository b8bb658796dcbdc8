"""Runs a recorded candidate again under the profiler, in the sandbox, and reports what the device did in each case."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from statistics import median
from time import monotonic

from evaluator.activity.comparison import compare_case, names_in
from evaluator.activity.traces import MAX_BYTES, TracedCall, TraceUnreadable, kineto_calls, rocprof_calls
from evaluator.errors import UsageError
from evaluator.gates.context import Context
from evaluator.judge.draws import Draw
from evaluator.judge.rejection import rejection_of
from evaluator.pipeline import Evaluator
from evaluator.records.activity import ACTIVITY_SCHEMA_VERSION, ActivityReport, CaseActivity
from evaluator.records.measurements import T_DEV
from evaluator.records.record import HostInfo, Record
from evaluator.sandbox import Worker, WorkerError
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import Case, TaskSpec
from evaluator.thresholds import FLUSH_FACTOR

CALLS, WARMUPS = 10, 2  # of each case, traced and before
TRACED = 2000  # index of the first traced draw: no other call has its contents
TRACE_S = 120.0  # for starting the profiler, and for writing a trace
FILE = "activity.json"  # of the worker's workspace


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
            found.append(compare_case(case.id, t_dev_ns, calls, names_in(candidate.files.values())))
    return _report(record, "CUPTI through torch's kineto", found, evaluator.backend.host())


def audit_recorded(task: TaskSpec, candidate: Candidate, record: Record, files: Mapping[str, str]) -> ActivityReport:
    """Compare with what rocprofv3 recorded: calls of the record's timed cases, in their order, equally many of each.

    Raises:
        UsageError, TraceUnreadable: as `audit_record`.
    """
    cases = timed_cases(task, candidate, record)
    calls, names = rocprof_calls(files, len(task.outputs)), names_in(candidate.files.values())
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
    runner, limit_s = context.runner, context.task.limits.first_call_s
    contents = [context.contents(case, Draw("standard", "standard", TRACED + index)) for index in range(CALLS)]
    runner.compile(case, contents[0])
    for _ in range(WARMUPS):
        runner.call(case, contents[0])
    flush_bytes = FLUSH_FACTOR * context.backend.cache_bytes
    runner.worker.call("trace", timeout_s=TRACE_S, what="begin", flush_bytes=flush_bytes)
    for one in contents:
        runner.open(case, one).write(one, runner.worker)
        runner.worker.call("trace", timeout_s=limit_s, what="call")
    runner.worker.call("trace", timeout_s=TRACE_S, what="end", path=FILE)
    return _taken(runner.worker)


def _taken(worker: Worker) -> bytes:
    """Read the trace from the worker's workspace in pieces through the mailbox."""
    data, deadline = b"", monotonic() + TRACE_S
    while True:
        left_s = deadline - monotonic()
        reply = worker.call("take", timeout_s=left_s, path=FILE, start=len(data), size=worker.mailbox.size)
        copied, size = reply["copied"], reply["size"]
        if type(copied) is not int or type(size) is not int or not 0 <= copied <= worker.mailbox.size:
            raise TraceUnreadable("the worker's reply has no piece of a trace")
        if size > MAX_BYTES:
            raise TraceUnreadable(f"a trace of {size:,} bytes; at most {MAX_BYTES:,} are read")
        data += bytes(worker.mailbox.view(0, copied))
        if len(data) >= size or copied == 0:
            return data
