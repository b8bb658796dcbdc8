"""From the bytes that a performance command left to cases: strict JSON, one dialect, no case twice."""

from __future__ import annotations

import json
from typing import Any

from evaluator.codec import plain_texts
from evaluator.judge.rejection import Rejection
from evaluator.mounted.dialects import ScriptTimes, Unusable, dialect_of, failure_of, geak

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
    """The cases of one performance command; `data` is None where it left no report and may only have printed one."""
    place = name if data is not None else "printed text"
    try:
        measured = geak(printed) if data is None else _measured(parse(data))
        _check_unique(measured)
    except Unusable as error:
        return Rejection(error.reason, f"{place}: {error}")
    return tuple(measured)


def status_problem(name: str, data: bytes | None) -> str | None:
    """What a compile or correctness report says against its own command's exit code 0."""
    if data is None:
        return None
    try:
        report = parse(data)
    except Unusable as error:
        return f"{name}: {error}"
    rows = report if isinstance(report, list) else [report]
    if not all(isinstance(row, dict) for row in rows):
        return f"{name}: seen {type(report).__name__}; expected a mapping with a status"
    said = next(filter(None, map(failure_of, rows)), None)
    return f"{name}: seen {said}; expected ok, as the exit code 0 says" if said else None


def _measured(report: Any) -> list[ScriptTimes]:
    return dialect_of(report)(report)


def parse(data: bytes) -> Any:
    """JSON without repeated keys, its texts plain; NaN and infinities stay numbers, to be refused with their place.

    Raises:
        Unusable: it is not JSON.
    """
    try:
        return plain_texts(json.loads(data, object_pairs_hook=_object))
    except (ValueError, RecursionError) as error:
        raise Unusable("bad_report", "(text)", str(error), "JSON") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"a key stands twice among {', '.join(key for key, _ in pairs)}"[:200])
    return found


def _check_unique(measured: list[ScriptTimes]) -> None:
    """The dtype is part of an identity, so equal ids of two dtypes are two cases."""
    seen = set[str]()
    for case in measured:
        if len(case.id) > LONGEST_IDENTITY:
            raise Unusable("bad_report", case.id[:40], f"{len(case.id)} characters", f"at most {LONGEST_IDENTITY}")
        if case.id in seen:
            raise Unusable("duplicate_case", case.id, "two cases of this identity", "one")
        seen.add(case.id)
