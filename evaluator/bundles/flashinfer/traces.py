"""FlashInfer traces of the current generation: one JSON line an evaluation of a solution on a workload.

A task is a definition, a claim one solution for it, a case one workload. FlashInfer's definitions are no suite of ours,
so every task is in quarantine; the workloads in the bundle say which cases belong to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from evaluator.bundles.flashinfer import cases as fib_cases
from evaluator.bundles.flashinfer.cases import Trace, WorkloadGroup
from evaluator.bundles.parsed import DECLARABLE, ParsedBundle, ParsedClaim
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
# what PASSED must have, INCORRECT_NUMERICAL must have, and all others must not
MEASURED = {"PASSED": ("correctness", "performance"), "INCORRECT_NUMERICAL": ("correctness",)}
LEAST_ZEROS = 5


@dataclass(slots=True)
class _Told:
    """By definition, and by definition and solution; of all traces together."""

    workloads: dict[str, set[str]] = field(default_factory=dict)
    groups: dict[tuple[str, str], WorkloadGroup] = field(default_factory=dict)
    hardware: set[str] = field(default_factory=set)
    errors: int = 0  # that are given
    zeros: int = 0


def recognises(reading: Reading) -> bool:
    return any(True for _ in _paths(reading))


def translate(reading: Reading) -> ParsedBundle | None:
    told = _read(reading)
    if not told.groups and not reading.problems:
        hint = "Definitions and workloads alone say nothing of a kernel; add traces/ of an evaluation"
        reading.problem(NAME, "no trace with an evaluation", "at least one", hint)
    if reading.problems:
        return None
    _note_whole(reading, told)
    sources = dict(_solutions(reading))
    claims = [_claim(reading, task, solution, told, sources) for task, solution in sorted(told.groups)]
    authors = sorted({author for author, _ in sources.values() if author})
    declared = reading.declared({"device": ", ".join(sorted(told.hardware)), "agent": ", ".join(authors)})
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


def _read(reading: Reading) -> _Told:
    """Line by line: what was said of it is kept, the line is not."""
    told = _Told()
    for place, raw in (line for path in _paths(reading) for line in reading.lines(path)):
        trace = _trace(reading, place, raw)
        if trace is not None and trace.evaluation is None:
            told.workloads.setdefault(trace.definition, set()).add(trace.workload)
        elif trace is not None:
            _check_presence(reading, trace)
            told.groups.setdefault((trace.definition, trace.solution), WorkloadGroup(place)).add(reading, trace)
            told.hardware |= {trace.hardware} - {""}
            error = fib_cases.inner(trace.evaluation, "correctness").get("max_absolute_error")
            told.errors += error is not None
            told.zeros += error == 0
    return told


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
        return Trace(place, definition, "", fib_cases.workload_key(workload), None)
    old = not isinstance(evaluation, dict) or "log_file" in evaluation or "uuid" not in workload
    if old or "device" in fib_cases.inner(evaluation, "environment"):
        hint = "Convert it with the current tools, which write log, environment.hardware and workload.uuid"
        reading.problem(place, "a trace of the older generation", "one of the current generation", hint)
        return None
    if str(evaluation.get("status")) not in STATUSES:
        reading.problem(f"{place}: evaluation.status", evaluation.get("status"), f"one of {', '.join(STATUSES)}")
        return None
    return Trace(place, definition, str(raw.get("solution")), fib_cases.workload_key(workload), evaluation)


def _claim(
    reading: Reading, task: str, solution: str, told: _Told, sources: Mapping[str, tuple[str, dict[str, bytes]]]
) -> ParsedClaim:
    """A definition is passed only on all its workloads; otherwise the first failure speaks for it."""
    group = told.groups[task, solution]
    reading.find("unknown_task", group.place, task, task)
    cases = group.cases(reading, task)
    status, reason = STATUSES[group.first_failure or "PASSED"]
    absent = told.workloads.get(task, set()) - group.workloads
    if absent:
        reading.find("missing_case", group.place, f"{len(absent)} workloads of {task}", task)
    if status is Status.PASSED and (absent or any(case.speedup is None for case in cases)):
        status, reason = Status.IMPLAUSIBLE, "case_mismatch" if absent else "impossible_time"
    if solution not in sources:
        reading.find("no_sources", group.place, solution, task)
    return ParsedClaim(
        task=task,
        is_known=False,
        attempt=solution,
        status=status,
        reason=reason,
        message=reading.text(group.log, group.place, task),
        claimed={"passed": group.passed, "evaluated": group.evaluated},
        claimed_speedup=fib_cases.mean([case.claimed_speedup for case in cases]),
        recomputed_speedup=fib_cases.mean([case.speedup for case in cases]) if status is Status.PASSED else None,
        cases=cases,
        files=sources.get(solution, ("", {}))[1],
    )


def _check_presence(reading: Reading, trace: Trace) -> None:
    wanted = MEASURED.get(trace.status, ())
    for name in ("correctness", "performance"):
        present = bool(trace.evaluation and trace.evaluation.get(name))
        if present != (name in wanted):
            detail = f"{trace.status} {'with' if present else 'without'} {name}"
            reading.find("presence_rule", trace.place, detail, trace.definition)


def _note_whole(reading: Reading, told: _Told) -> None:
    if told.errors >= LEAST_ZEROS and told.zeros == told.errors:
        reading.find("errors_all_zero", NAME, f"{told.errors} traces")
    if len(told.hardware) > 1:
        reading.find("several_devices", NAME, ", ".join(sorted(told.hardware)))
    reading.find("reference_baseline", NAME, f"{sum(group.passed for group in told.groups.values())} speeds")


def _solutions(reading: Reading) -> Iterator[tuple[str, tuple[str, dict[str, bytes]]]]:
    """Name → author and sources."""
    for path in sorted(reading.files):
        if not path.endswith(".json") or "solutions" not in PurePosixPath(path).parts:
            continue
        raw = reading.mapping(path)
        listed = raw.get("sources")
        files = dict[str, bytes]()
        for source in listed if isinstance(listed, list) else []:
            name, content = (source.get("path"), source.get("content")) if isinstance(source, dict) else (None, None)
            if not isinstance(name, str) or not isinstance(content, str) or not _is_inside(name):
                reading.problem(f"{path}: sources", source, "relative path and content of each file")
                continue
            files[name] = reading.source(content.encode(), path, str(raw.get("definition")))
        if isinstance(raw.get("name"), str):
            yield raw["name"], (str(raw.get("author") or ""), files)


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\\" not in name
