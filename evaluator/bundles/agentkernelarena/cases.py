"""Times of both sides in an AgentKernelArena workspace, matched by the case's name and compared with the claims."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from evaluator.bundles.agentkernelarena import raw_reports
from evaluator.bundles.parsed import CaseClaim
from evaluator.bundles.reading import Reading

ROUNDING = 1e-6  # relative: claims are computed from the same doubles
HOST_METHODS = ("cpu_timer_fallback", "cpu_timer", "perf_counter", "serving_wall_clock")
KEYS_WITHOUT_UNIT = ("execution_time", "time")
EMPTY_GRAPH_MS = 1e-4  # the benchmark's time for a graph that does nothing
SYNTHETIC = "test_case_0"  # the benchmark's name for a time without a case
INVERTED = "repository/rocprim/"  # tasks whose "time" is one over a throughput
COUNTS = ("valid_baseline_cases", "valid_optimized_cases")
METHODS = ("baseline_benchmark_methods", "optimized_benchmark_methods")
MEANS = ("base_execution_time", "best_optimized_execution_time")
COMPILED, CORRECT = 20.0, 100.0  # points


@dataclass(frozen=True, slots=True)
class WorkspaceTimes:
    """One case on one side of a workspace."""

    parameters: str  # canonical; "" where none are given
    method: str | None
    time_ms: float | None


@dataclass(frozen=True, slots=True)
class TimedWorkspace:
    """The timed cases of a workspace; `fault`, a key of reasons.REASONS, is why there is no speedup.

    `written` has also the times that a report contradicts, since the result's own numbers were made from them.
    """

    cases: tuple[CaseClaim, ...]
    fault: str | None
    written: tuple[CaseClaim, ...]

    @property
    def speedup(self) -> float | None:
        """Mean speedup over all cases; None if any case has no speedup."""
        ratios = [case.speedup for case in self.cases]
        whole = [ratio for ratio in ratios if ratio is not None]
        return fmean(whole) if whole and len(whole) == len(ratios) and not self.fault else None


def timed(reading: Reading, folder: str, task: str, raw: Mapping[str, Any] | None) -> TimedWorkspace:
    """The cases of a workspace; without a passing result (`raw`), the candidate's times may be missing."""
    paths = [f"{folder}/{name}.yaml".lstrip("/") for name in ("baseline_perf", "optimized_perf")]
    wanted = raw is not None and raw.get("pass_correctness") is True
    absent = [path for path in paths if path not in reading.files]
    if absent:
        if wanted:
            reading.find("no_case_times", absent[0], ", ".join(absent), task)
        return TimedWorkspace((), None, ())
    before, after = (_side(reading, path, task) for path in paths)
    written = {name: _case(name, before[0].get(name), after[0].get(name)) for name in {**before[0], **after[0]}}
    if not wanted:
        return TimedWorkspace((*written.values(),), None, (*written.values(),))
    faults = [before[1], after[1], _compare_cases(reading, folder, task, before[0], after[0])]
    faults.append(_mixed_by_result(reading, folder, task, raw or {}) if not any(faults) else None)
    reported = raw_reports.faults_of(reading, folder, task, {name: row.time_ms for name, row in after[0].items()})
    faults += reported.values()
    cases = tuple(replace(case, candidate_ms=None) if name in reported else case for name, case in written.items())
    _note_aggregated(reading, folder, task, cases)
    if not cases or any(case.speedup is None for case in cases):
        faults.append("impossible_time" if cases else "no_report")
    return TimedWorkspace(cases, next(filter(None, faults), None), (*written.values(),))


def compare(reading: Reading, path: str, task: str, raw: Mapping[str, Any], timed: TimedWorkspace) -> None:
    """Note where the claimed speedup, mean times, counts and score differ from those of the cases."""
    claimed, own = reading.number(raw.get("speedup_ratio"), path), timed.speedup
    if claimed is not None and own is not None and not _close(claimed, own):
        reading.find("speedup_disagrees", f"{path}: speedup_ratio", f"claimed {claimed:g}, of the cases {own:g}", task)
    for field, name in zip(MEANS, ("baseline_ms", "candidate_ms"), strict=True):
        times = [time for case in timed.written if (time := getattr(case, name)) is not None]
        mean = reading.number(raw.get(field), path)
        if mean and times and not _close(mean, fmean(times)):
            reading.find("time_disagrees", f"{path}: {field}", f"claimed {mean:g} ms, {fmean(times):g} ms", task)
    _compare_counts(reading, path, task, raw, timed)
    _compare_score(reading, path, task, raw)


def _compare_counts(reading: Reading, path: str, task: str, raw: Mapping[str, Any], timed: TimedWorkspace) -> None:
    for field, name in zip(COUNTS, ("baseline_ms", "candidate_ms"), strict=True):
        count, own = raw.get(field), sum(getattr(case, name) is not None for case in timed.written)
        if timed.written and isinstance(count, int) and count != own:
            reading.find("case_count_disagrees", f"{path}: {field}", f"claimed {count}, with a time {own}", task)


def _compare_score(reading: Reading, path: str, task: str, raw: Mapping[str, Any]) -> None:
    score = reading.number(raw.get("score"), f"{path}: score", task)
    if score is None:
        return
    ratio = reading.number(raw.get("speedup_ratio"), path) or 0.0
    base, best = (
        reading.number(raw.get(name), path) for name in ("base_execution_time", "best_optimized_execution_time")
    )
    compiled, correct = raw.get("pass_compilation") is True, raw.get("pass_correctness") is True
    points = compiled * (COMPILED + correct * (CORRECT + 100 * max(ratio, 0.0)))
    if math.isclose(score, points, rel_tol=ROUNDING, abs_tol=1e-3):
        return
    averages = base / best if base and best else None
    if averages and math.isclose(score, COMPILED + CORRECT + 100 * averages, rel_tol=1e-3):
        detail = f"score {score:g} has the ratio of averages, {averages:g}; the speedup is {ratio:g}"
        reading.find("score_from_averages", f"{path}: score", detail, task)
    else:
        reading.find("score_disagrees", f"{path}: score", f"claimed {score:g}, by its own rule {points:g}", task)


def _side(reading: Reading, path: str, task: str) -> tuple[dict[str, WorkspaceTimes], str | None]:
    """The rows of one side by the case's name, and why the side has no speedup or None."""
    listed = reading.mapping(path).get("test_cases")
    if not isinstance(listed, list):
        reading.find("no_case_times", path, "no test_cases", task)
        return {}, "no_report"
    rows, fault = dict[str, WorkspaceTimes](), None
    for index, raw in enumerate(listed):
        place = f"{path}: test_cases.{index}"
        if not isinstance(raw, dict):
            reading.problem(place, raw, "a mapping with test_case_id and execution_time_ms")
            continue
        name, row = str(raw.get("test_case_id", index)), _row(reading, raw, place, task)
        if name in rows:
            reading.find("duplicate_case", place, f"{name}: the task has no speed", task)
            fault = "duplicate_case"
        rows.setdefault(name, row)
    _shared_parameters(reading, path, task, rows)
    return rows, fault


def _row(reading: Reading, raw: Mapping[str, Any], place: str, task: str) -> WorkspaceTimes:
    method = raw.get("benchmark_method")
    parameters = {key: raw[key] for key in ("params", "shape", "dtype", "mode", "layout") if raw.get(key) is not None}
    row = WorkspaceTimes(
        parameters=json.dumps(parameters, sort_keys=True, default=str) if parameters else "",
        method=method if isinstance(method, str) else None,
        time_ms=_time_ms(reading, raw, place, task),
    )
    code = _time_fault(row, task)
    if code:
        reading.find(code, place, f"{row.method or task}: {row.time_ms:g} ms", task)
    return replace(row, time_ms=None) if code else row


def _time_fault(row: WorkspaceTimes, task: str) -> str | None:
    """Why a number is not the device time of a call, as a key of FINDINGS; None if it is one or is missing."""
    if row.time_ms is None:
        return None
    if task.startswith(INVERTED):
        return "throughput_as_time"
    if row.method in HOST_METHODS:
        return "host_time"
    return "empty_graph" if row.method == "cuda_graph" and row.time_ms <= EMPTY_GRAPH_MS else None


def _time_ms(reading: Reading, raw: Mapping[str, Any], place: str, task: str) -> float | None:
    """The time in milliseconds. Keys without a unit are refused: the benchmark guesses milliseconds below 1000."""
    name = next((name for name in KEYS_WITHOUT_UNIT if name in raw), None)
    if name and "execution_time_ms" not in raw:
        reading.find("unknown_unit", f"{place}.{name}", repr(raw[name]), task)
        return None
    return reading.time_ms(raw.get("execution_time_ms"), f"{place}.execution_time_ms", task)


def _shared_parameters(reading: Reading, path: str, task: str, rows: Mapping[str, WorkspaceTimes]) -> None:
    by_parameters = dict[str, str]()
    for name, row in rows.items():
        if row.parameters and row.parameters in by_parameters:
            detail = f"{by_parameters[row.parameters]} and {name} have {row.parameters}"
            reading.find("duplicate_parameters", path, detail, task)
        by_parameters.setdefault(row.parameters, name)


def _compare_cases(
    reading: Reading, folder: str, task: str, before: Mapping[str, WorkspaceTimes], after: Mapping[str, WorkspaceTimes]
) -> str | None:
    for name in before.keys() - after.keys():
        reading.find("missing_case", folder, name, task)
    for name in after.keys() - before.keys():
        reading.find("extra_case", folder, name, task)
    both = sorted(before.keys() & after.keys())
    moved = [name for name in both if before[name].parameters != after[name].parameters]
    for name in moved:
        reading.find("other_parameters", folder, name, task)
    mixed = [name for name in both if before[name].method != after[name].method]
    for name in mixed:
        reading.find("mixed_methods", folder, f"{name}: {before[name].method} and {after[name].method}", task)
    if both and not any(row.method for row in (*before.values(), *after.values())):
        reading.find("unstated_method", folder, "no benchmark_method in either file", task)
    if len(both) != len({**before, **after}) or moved:
        return "case_mismatch"
    return "method_mismatch" if mixed else None


def _mixed_by_result(reading: Reading, folder: str, task: str, raw: Mapping[str, Any]) -> str | None:
    """A fault if the result itself says that the two sides were timed in different ways."""
    before, after = (raw.get(name) for name in METHODS)
    differ = (
        isinstance(before, list) and isinstance(after, list) and sorted(map(str, before)) != sorted(map(str, after))
    )
    if not (before or after) or (raw.get("benchmark_method_consistent") is not False and not differ):
        return None
    reading.find("mixed_methods", folder, f"by the result: {before} and {after}", task)
    return "method_mismatch"


def _note_aggregated(reading: Reading, folder: str, task: str, cases: tuple[CaseClaim, ...]) -> None:
    if len(cases) == 1 and cases[0].id == SYNTHETIC:
        reading.find("aggregated_cases", folder, SYNTHETIC, task)


def _case(name: str, before: WorkspaceTimes | None, after: WorkspaceTimes | None) -> CaseClaim:
    row = before or after
    parameters = f" {row.parameters}" if row and row.parameters else ""
    return CaseClaim(f"{name}{parameters}", before.time_ms if before else None, after.time_ms if after else None)


def _close(claimed: float, own: float) -> bool:
    return math.isclose(claimed, own, rel_tol=ROUNDING)
