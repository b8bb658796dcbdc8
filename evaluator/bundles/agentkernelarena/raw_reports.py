"""The report that a task's own script wrote of its last timing, beside the times that the benchmark took from it.

The benchmark takes a number without a unit for seconds from 1000 on, and for milliseconds below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluator.bundles.reading import LARGEST, Reading

PLACES = (
    *("build/performance_report.json", "performance_report.json", "build/perf_report.json", "perf_report.json"),
    "perf/benchmark_results.json",
)
HOST_TIMES = ("host_time_ms", "wall_time_ms", "elapsed_time_ms", "total_time_ms", "end_to_end_time_ms")
IN_MS = ("opt_time",)  # milliseconds by the rule of the tasks that write it
WITHOUT_UNIT = ("execution_time", "time")
NESTED = "timing_ms"  # mean, median and more
ROUNDING = 1e-6  # relative: the benchmark copies the number


def faults_of(reading: Reading, folder: str, task: str, times: Mapping[str, float | None]) -> dict[str, str]:
    """Why times cannot be those of the script's report, as keys of reasons.REASONS, by the case that it contradicts.

    `times` are the candidate's, in milliseconds by case. Only cases that the report names are compared.
    """
    path = next((path for place in PLACES if (path := f"{folder}/{place}".lstrip("/")) in reading.files), None)
    if path is None:
        return {}
    faults = dict[str, str]()
    for name, raw in _cases(reading.evidence(path, task)):
        if fault := _fault(reading, path, task, name, raw, times.get(name)):
            faults.setdefault(name, fault)
    return faults


def _cases(report: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Name and fields of each case; the benchmark names those without a name by their position."""
    rows = report.get("test_cases", [report]) if isinstance(report, dict) else report
    for index, raw in enumerate(rows if isinstance(rows, list) else []):
        if isinstance(raw, dict):
            yield str(raw.get("test_case_id", f"test_case_{index}")), raw


def _fault(reading: Reading, path: str, task: str, name: str, raw: Mapping[str, Any], own: float | None) -> str | None:
    stated, bare = _stated(raw), [raw[key] for key in WITHOUT_UNIT if _is_number(raw.get(key))]
    if own is None or not (stated or bare):
        return None
    seen = f"{name}: {stated[0]:.9g} ms" if stated else f"{name}: {bare[0]:.9g} without a unit"
    if not any(math.isclose(own, one, rel_tol=ROUNDING) for one in stated or bare):
        reading.find("report_contradicts", path, f"{seen}, in the result {own:.9g} ms", task)
        return "impossible_time" if stated else "unknown_unit"
    if not stated:
        reading.find("unknown_unit", path, seen, task)
    return None if stated else "unknown_unit"


def _stated(raw: Mapping[str, Any]) -> Sequence[float]:
    """All times of the device that a case states with their unit."""
    nested = raw.get(NESTED)
    named = [raw[key] for key in raw if (key.endswith("_ms") and key not in HOST_TIMES) or key in IN_MS]
    return [one for one in (*named, *(nested.values() if isinstance(nested, dict) else ())) if _is_number(one)]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST
