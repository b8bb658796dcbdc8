"""FlashInfer traces of the current generation: one JSON line per evaluation of a solution on a workload.

A task is a definition, a claim is one solution for it, and a case is one workload. FlashInfer's definitions form no
suite on this site, so every task is in quarantine; its cases are the workloads in the bundle.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from statistics import fmean, median
from typing import Any

from evaluator.bundles import plausibility
from evaluator.bundles.parsed import DECLARABLE, CaseClaim, ParsedBundle, ParsedClaim
from evaluator.bundles.reading import Reading
from evaluator.records.reasons import Status

NAME = "FlashInfer traces"
MARKS = "lines of JSON with definition and workload"
STATUSES: Mapping[str, tuple[Status, str | None]] = {
    "PASSED": (Status.PASSED, None),
    "INCORRECT_SHAPE": (Status.WRONG_OUTPUT, "wrong_shape"),
    "INCORRECT_NUMERICAL": (Status.WRONG_OUTPUT, "mismatch"),
    "INCORRECT_DTYPE": (Status.WRONG_OUTPUT, "wrong_dtype"),
    "RUNTIME_ERROR": (Status.CRASHED, "raised"),
    "COMPILE_ERROR": (Status.BUILD_FAILED, "compiler_error"),
    "TIMEOUT": (Status.TIMED_OUT, "total_time"),
}
# Status → the measurements that a trace must have; all other statuses must have none.
MEASURED = {"PASSED": ("correctness", "performance"), "INCORRECT_NUMERICAL": ("correctness",)}
LEAST_ZEROS = 5
ROUNDING = 1e-3  # relative: writers round all three numbers
COLD, LEAST_CASES = 0.1, 4  # share of the median speedup; least number of cases for comparing the first one


@dataclass(frozen=True, slots=True)
class Trace:
    """One line of a trace file; without an `evaluation` it only lists a workload of the definition."""

    place: str
    definition: str
    solution: str
    workload: str
    evaluation: Mapping[str, Any] | None

    @property
    def status(self) -> str:
        return str(self.evaluation["status"]) if self.evaluation else ""

    @property
    def hardware(self) -> str:
        return str(_inner(self.evaluation, "environment").get("hardware") or "")


class WorkloadGroup:
    """Accumulates the traces of one solution for one definition, without holding them."""

    def __init__(self, place: str) -> None:
        self.place, self.log, self.first_failure = place, "", ""  # the log is that of the failure, if there is one
        self.passed = self.evaluated = 0
        self._cases = dict[str, CaseClaim]()

    def add(self, reading: Reading, trace: Trace) -> None:
        """Add one evaluation; of several for the same workload, the slower one counts."""
        self.evaluated += 1
        log = str((trace.evaluation or {}).get("log") or "")
        self.passed += trace.status == "PASSED"
        if trace.status != "PASSED" and not self.first_failure:
            self.first_failure, self.log = trace.status, log
        elif not self.first_failure:
            self.log = self.log or log
        case = _case(reading, trace)
        first = self._cases.setdefault(trace.workload, case)
        if first is not case:
            detail = f"{trace.workload} for {trace.solution}: the slower one counts"
            reading.find("duplicate_case", trace.place, detail, trace.definition)
            self._cases[trace.workload] = max(first, case, key=_time_or_infinite)

    @property
    def workloads(self) -> set[str]:
        return set(self._cases)

    def cases(self, reading: Reading, task: str) -> tuple[CaseClaim, ...]:
        """The cases, after the last trace was added; notes what only shows when they are compared."""
        cases = tuple(self._cases.values())
        speedups = [case.speedup for case in cases if case.speedup is not None]
        if len(speedups) >= LEAST_CASES and speedups[0] < COLD * median(speedups):
            reading.find("cold_start", self.place, f"{speedups[0]:g} beside {median(speedups):g}", task)
        return cases


@dataclass(slots=True)
class _TraceSummary:
    """Counts and groups over all traces."""

    workloads: dict[str, set[str]] = field(default_factory=dict)  # by definition
    groups: dict[tuple[str, str], WorkloadGroup] = field(default_factory=dict)  # by definition and solution
    hardware: set[str] = field(default_factory=set)
    errors: int = 0  # traces that give an absolute error
    zeros: int = 0  # of which zero


def recognises(reading: Reading) -> bool:
    return any(True for _ in _paths(reading))


def translate(reading: Reading) -> ParsedBundle | None:
    summary = _read(reading)
    if not summary.groups and not reading.problems:
        hint = "Definitions and workloads alone describe no kernel; add the traces/ of an evaluation"
        reading.problem(NAME, "no trace with an evaluation", "at least one", hint)
    if reading.problems:
        return None
    _note_whole(reading, summary)
    sources = dict(_solutions(reading, {solution for _, solution in summary.groups}))
    claims = [_claim(reading, task, solution, summary, sources) for task, solution in sorted(summary.groups)]
    authors = sorted({author for author, _ in sources.values() if author})
    declared = reading.declared({"device": ", ".join(sorted(summary.hardware)), "agent": ", ".join(authors)})
    return ParsedBundle(
        format=NAME,
        generation="current",
        digest=reading.digest,
        suite=None,
        suite_tasks=(),
        declared=declared,
        asked=tuple(key for key in DECLARABLE if key not in {*declared, "level", "golden_machine"}),
        claims=tuple(claims),
        totals=(),
        findings=(),
    )


def _read(reading: Reading) -> _TraceSummary:
    """Read all trace files line by line into a summary, without holding the lines."""
    summary = _TraceSummary()
    for place, raw in (line for path in _paths(reading) for line in reading.lines(path)):
        trace = _trace(reading, place, raw)
        if trace is not None and trace.evaluation is None:
            summary.workloads.setdefault(trace.definition, set()).add(trace.workload)
        elif trace is not None:
            _check_presence(reading, trace)
            summary.groups.setdefault((trace.definition, trace.solution), WorkloadGroup(place)).add(reading, trace)
            summary.hardware |= {trace.hardware} - {""}
            error = _inner(trace.evaluation, "correctness").get("max_absolute_error")
            summary.errors += error is not None
            summary.zeros += error == 0
    return summary


def _paths(reading: Reading) -> Iterator[str]:
    for path in sorted(reading.files):
        start = reading.files[path][:4096]
        if path.endswith(".jsonl") and b'"definition"' in start and b'"workload"' in start:
            yield path


def _trace(reading: Reading, place: str, raw: Mapping[str, Any]) -> Trace | None:
    definition, workload, evaluation = raw.get("definition"), raw.get("workload"), raw.get("evaluation")
    if not isinstance(definition, str) or not isinstance(workload, dict):
        reading.problem(place, raw, "definition and workload")
        return None
    if evaluation is None:
        return Trace(place, definition, "", _workload_key(workload), None)
    old = not isinstance(evaluation, dict) or "log_file" in evaluation or "uuid" not in workload
    if old or "device" in _inner(evaluation, "environment"):
        hint = "Convert it with the current tools, which write log, environment.hardware and workload.uuid"
        reading.problem(place, "a trace of the older generation", "one of the current generation", hint)
        return None
    if str(evaluation.get("status")) not in STATUSES:
        reading.problem(f"{place}: evaluation.status", evaluation.get("status"), f"one of {', '.join(STATUSES)}")
        return None
    return Trace(place, definition, str(raw.get("solution")), _workload_key(workload), evaluation)


def _claim(
    reading: Reading,
    task: str,
    solution: str,
    summary: _TraceSummary,
    sources: Mapping[str, tuple[str, dict[str, bytes]]],
) -> ParsedClaim:
    """The claim of a solution: passed if it passes on all workloads, otherwise with the status of its first failure."""
    group = summary.groups[task, solution]
    reading.find("unknown_task", group.place, task, task)
    cases = group.cases(reading, task)
    status, reason = STATUSES[group.first_failure or "PASSED"]
    absent = summary.workloads.get(task, set()) - group.workloads
    if absent:
        reading.find("missing_case", group.place, f"{len(absent)} workloads of {task}", task)
    if status is Status.PASSED and (absent or any(case.speedup is None for case in cases)):
        status, reason = Status.IMPLAUSIBLE, "case_mismatch" if absent else "impossible_time"
    claim = ParsedClaim(
        task=task,
        is_known=False,
        attempt=solution,
        status=status,
        reason=reason,
        message=reading.text(group.log, group.place, task),
        claimed={"passed": group.passed, "evaluated": group.evaluated},
        claimed_speedup=_mean([case.claimed_speedup for case in cases]),
        recomputed_speedup=_mean([case.speedup for case in cases]) if status is Status.PASSED else None,
        cases=cases,
        files=sources.get(solution, ("", {}))[1],
    )
    plausibility.note(reading, group.place, claim)
    return claim


def _check_presence(reading: Reading, trace: Trace) -> None:
    wanted = MEASURED.get(trace.status, ())
    for name in ("correctness", "performance"):
        present = bool(trace.evaluation and trace.evaluation.get(name))
        if present != (name in wanted):
            detail = f"{trace.status} {'with' if present else 'without'} {name}"
            reading.find("presence_rule", trace.place, detail, trace.definition)


def _note_whole(reading: Reading, summary: _TraceSummary) -> None:
    if summary.errors >= LEAST_ZEROS and summary.zeros == summary.errors:
        reading.find("errors_all_zero", NAME, f"{summary.errors} traces")
    if len(summary.hardware) > 1:
        reading.find("several_devices", NAME, ", ".join(sorted(summary.hardware)))
    reading.find("reference_baseline", NAME, f"{sum(group.passed for group in summary.groups.values())} speeds")


def _solutions(reading: Reading, traced: set[str]) -> Iterator[tuple[str, tuple[str, dict[str, bytes]]]]:
    """The author and the sources of each solution that has a trace, by name; others count as unread."""
    for path in sorted(reading.files):
        if not path.endswith(".json") or "solutions" not in PurePosixPath(path).parts:
            continue
        raw = reading.mapping(path)
        name = raw.get("name")
        if not isinstance(name, str) or name not in traced:
            reading.leave(path)
            continue
        listed = raw.get("sources")
        files = dict[str, bytes]()
        for source in listed if isinstance(listed, list) else []:
            inside, content = (source.get("path"), source.get("content")) if isinstance(source, dict) else (None, None)
            if not isinstance(inside, str) or not isinstance(content, str) or not _is_inside(inside):
                reading.problem(f"{path}: sources", source, "relative path and content of each file")
                continue
            files[inside] = reading.source(content, path, str(raw.get("definition")))
        yield name, (str(raw.get("author") or ""), files)


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\\" not in name


def _inner(value: Mapping[str, Any] | None, name: str) -> Mapping[str, Any]:
    found = value.get(name) if value else None
    return found if isinstance(found, dict) else {}


def _workload_key(workload: Mapping[str, Any]) -> str:
    """The workload's axes, which people can read, followed by its uuid."""
    axes = ",".join(f"{key}={value}" for key, value in sorted(_inner(workload, "axes").items()))
    return f"{axes} {workload.get('uuid', json.dumps(workload.get('inputs'), sort_keys=True))}".strip()[:300]


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean, or None if there is no value or any is missing."""
    whole = [value for value in values if value is not None]
    return fmean(whole) if whole and len(whole) == len(values) else None


def _case(reading: Reading, trace: Trace) -> CaseClaim:
    performance, task = _inner(trace.evaluation, "performance"), trace.definition
    if not performance:
        return CaseClaim(trace.workload, None, None)
    after, before = (
        reading.time_ms(performance.get(name), f"{trace.place}: {name}", task)
        for name in ("latency_ms", "reference_latency_ms")
    )
    claimed = reading.number(performance.get("speedup_factor"), f"{trace.place}: speedup_factor", task)
    case = CaseClaim(trace.workload, before, after, claimed)
    if claimed is not None and case.speedup and not math.isclose(claimed, case.speedup, rel_tol=ROUNDING):
        detail = f"claimed {claimed:g}, of its times {case.speedup:g}"
        reading.find("speedup_disagrees", f"{trace.place}: speedup_factor", detail, task)
    return case


def _time_or_infinite(case: CaseClaim) -> float:
    """The candidate's time; a failed evaluation counts as infinitely slow."""
    return math.inf if case.candidate_ms is None else case.candidate_ms
