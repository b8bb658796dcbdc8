"""Reads the reports of a task's own scripts: strict JSON in one of the known formats, each case once."""

from __future__ import annotations

import json
from typing import Any

from evaluator.codec import plain_texts, unique_keys
from evaluator.judge.rejection import Rejection
from evaluator.mounted.report_formats import ScriptTimes, UnusableReport, failure_of, format_of, geak

PERFORMANCE_REPORTS = (
    "build/performance_report.json",
    "performance_report.json",
    "build/perf_report.json",
    "perf_report.json",
    "perf/benchmark_results.json",
)
COMPILE_REPORT, CORRECTNESS_REPORT = "build/compile_report.json", "build/correctness_report.json"
ALL = (*PERFORMANCE_REPORTS, COMPILE_REPORT, CORRECTNESS_REPORT, "eval_result.yaml")
LONGEST_IDENTITY = 1000  # characters


def read_measured(name: str, data: bytes | None, printed: str) -> tuple[ScriptTimes, ...] | Rejection:
    """The cases of one performance command, or a rejection; without a report (`data`), the printed text is read."""
    place = name if data is not None else "printed text"
    try:
        report = None if data is None else parse(data)
        measured = geak(printed) if data is None else format_of(report)(report)
        _check_unique(measured)
    except UnusableReport as error:
        return Rejection(error.reason, f"{place}: {error}")
    return tuple(measured)


def status_problem(name: str, data: bytes | None) -> str | None:
    """The failure in a compile or correctness report of a command that exited with 0, or None."""
    if data is None:
        return None
    try:
        report = parse(data)
    except UnusableReport as error:
        return f"{name}: {error}"
    rows = report if isinstance(report, list) else [report]
    if not all(isinstance(row, dict) for row in rows):
        return f"{name}: seen {type(report).__name__}; expected a mapping with a status"
    failure = next(filter(None, map(failure_of, rows)), None)
    return f"{name}: seen {failure}; expected ok, like the exit code 0" if failure else None


def parse(data: bytes) -> Any:
    """The value of a JSON report with unique keys and plain texts; NaN and infinity are kept, and refused later.

    Raises:
        UnusableReport: it is not JSON.
    """
    try:
        return plain_texts(json.loads(data, object_pairs_hook=unique_keys))
    except (ValueError, RecursionError) as error:
        raise UnusableReport("bad_report", "(text)", str(error), "JSON") from error


def _check_unique(measured: list[ScriptTimes]) -> None:
    """Refuse duplicate cases; the dtype is part of a case's identity."""
    seen = set[str]()
    for case in measured:
        if len(case.id) > LONGEST_IDENTITY:
            raise UnusableReport(
                "bad_report", case.id[:40], f"{len(case.id)} characters", f"at most {LONGEST_IDENTITY}"
            )
        if case.id in seen:
            raise UnusableReport("duplicate_case", case.id, "two cases of this identity", "one")
        seen.add(case.id)
