"""The eight formats of performance reports, one small function each, distinguished by content and not by task.

Each function takes a parsed report and returns one ScriptTimes per case, or raises UnusableReport with the place, what
was seen there and what was expected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from evaluator.codec import LARGEST_INT

AxisValue = int | str | bool
Row = Mapping[str, Any]
ReportFormat = Callable[[Any], list["ScriptTimes"]]

DEVICE_TIMES = (
    *("device_time_ms", "gpu_time_ms", "kernel_time_ms", "cuda_event_time_ms", "cuda_graph_time_ms"),
    *("execution_time_ms", "time_ms"),
)
HOST_TIME = re.compile(r"(host|wall|elapsed|total|end_to_end|cpu)\w*_ms")
WITHOUT_UNIT = ("execution_time", "time", "latency", "duration", "runtime")
CLOCKS = ("cuda_graph", "cuda_event_fallback", "cuda_event", "aka_loop", "aka_events", "ms_per_gigabyte")
HOST_CLOCKS = ("cpu_timer_fallback", "cpu_timer", "host", "perf_counter", "serving_wall_clock")
IDENTITY = ("params", "shape", "dtype", "mode", "layout", "op_name")  # beside the id; params may also have a dtype
NAMES = ("test_case_id", "case_idx", "case_id", "id")
GOOD_STATUSES = (
    "ok",
    "pass",
    "passed",
    "success",
    "succeeded",
    "done",
    "completed",
    "measured",
    "baseline_ok",
)  # statuses
VERDICTS = ("correct", "passed", "success")
FAILED_MS = -1.0  # written by vllm's scripts for a case that raised, although they exit with 0
LEAST, GREATEST = 1e-6, 1e9  # of a time in milliseconds: a nanosecond, eleven days; and of a rate in GB/s
MS_PER_GIGABYTE = 1000.0  # divided by GB/s
LATENCY = re.compile(r"^GEAK_RESULT_LATENCY_MS=(\S+)\s*$", re.MULTILINE)
SHAPES = re.compile(r"^GEAK_SHAPES_USED=(.{1,2000})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ScriptTimes:
    """One case of a report, identified by name and axes; the clock is the one stated or known of the script."""

    name: str
    axes: Mapping[str, AxisValue]
    clock: str
    time_ms: float

    @property
    def id(self) -> str:
        return ",".join(filter(None, (self.name, *(f"{key}={value}" for key, value in sorted(self.axes.items())))))


class UnusableReport(Exception):
    """A report that cannot be used; `reason` is a key of reasons.REASONS."""

    def __init__(self, reason: str, place: str, seen: object, expected: str) -> None:
        super().__init__(f"{place}: seen {'nothing' if seen is None else repr(seen)[:100]}; expected {expected}")
        self.reason = reason


def format_of(report: Any) -> ReportFormat:
    """The function that reads this report; `geak` reads reports that are only printed.

    Raises:
        UnusableReport: it has none of the formats.
    """
    rows = report.get("test_cases", [report]) if isinstance(report, Mapping) else report
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        _refuse("bad_report", "(top)", type(report).__name__, "cases, each a mapping")
    if not rows:
        _refuse("bad_report", "(top)", [], "at least one case")
    keys = set().union(*rows)
    if isinstance(report, Mapping):
        return _object_format(report, keys)
    if "timing_ms" in keys:
        return rocmbench
    if "bytes_per_second_gs" in keys:
        return rocprim
    return library if "metadata" in keys else vllm


def _object_format(report: Row, keys: set[str]) -> ReportFormat:
    if "test_cases" not in report:
        return vllm
    if "case_idx" not in keys:
        return hip_others
    return gpumode if "execution_time_ms" in keys else torch_to_hip


def gpumode(report: Row) -> list[ScriptTimes]:
    """Format A, of hip2hip/gpumode: 100 launches within one pair of events."""
    _check_status(report)
    return [_measured(row, place, "aka_loop") for place, row in _rows(report["test_cases"], "test_cases.")]


def torch_to_hip(report: Row) -> list[ScriptTimes]:
    """Format B, of torch2hip: `ori_time` of the PyTorch module, `opt_time` of the candidate, both in milliseconds."""
    _check_status(report)
    key = "ori_time" if report.get("status") == "baseline_ok" else "opt_time"
    found = []
    for place, row in _rows(report["test_cases"], "test_cases."):
        found.append(_case(row, place, "aka_loop", _number(row.get(key), f"{place}.{key}")))
    return found


def vllm(report: Any) -> list[ScriptTimes]:
    """Format C, of triton2triton/vllm and flydsl: a list, or before June 2026 one object for the only case."""
    rows = report if isinstance(report, list) else [report]
    return [_measured(row, place, "aka_events") for place, row in _rows(rows)]


def rocmbench(report: list[Row]) -> list[ScriptTimes]:
    """Format D, of rocmbench. Reports without a method, from the time of the paper, used the host's clock."""
    found = []
    for place, row in _rows(report):
        times = row.get("timing_ms")
        if not isinstance(times, Mapping):
            _refuse("bad_report", f"{place}.timing_ms", times, "mean, median or min in milliseconds")
        key = next((key for key in ("mean", "median", "min") if key in times), "mean")
        found.append(_case(row, place, "host", _number(times.get(key), f"{place}.timing_ms.{key}")))
    return found


def geak(printed: str) -> list[ScriptTimes]:
    """Format E, of geak_eval: one printed geometric mean over all shapes."""
    latencies, shapes = LATENCY.findall(printed), SHAPES.findall(printed)
    if len(latencies) != 1:
        _refuse("no_report", "printed text", latencies or None, "one line GEAK_RESULT_LATENCY_MS=")
    try:
        value = float(latencies[0])
    except ValueError:
        _refuse("bad_report", "GEAK_RESULT_LATENCY_MS", latencies[0], "a number of milliseconds")
    axes: dict[str, AxisValue] = {"shapes": shapes[-1].strip()} if shapes else {}
    return [ScriptTimes("geomean", axes, "aka_events", _number(value, "GEAK_RESULT_LATENCY_MS"))]


def hip_others(report: Row) -> list[ScriptTimes]:
    """Format F, of hip2hip/others."""
    _check_status(report)
    return [_measured(row, place, "aka_events") for place, row in _rows(report["test_cases"], "test_cases.")]


def rocprim(report: list[Row]) -> list[ScriptTimes]:
    """Format G, of repository/rocprim: a throughput, which becomes the time for one gigabyte."""
    found = []
    for place, row in _rows(report):
        rate = _number(row.get("bytes_per_second_gs"), f"{place}.bytes_per_second_gs")
        found.append(_case({**row, "benchmark_method": None}, place, "ms_per_gigabyte", MS_PER_GIGABYTE / rate))
    return found


def library(report: list[Row]) -> list[ScriptTimes]:
    """Format H, of repository/aiter and image_kernel: the method is in `metadata`."""
    found = []
    for place, row in _rows(report):
        inner = row.get("metadata")
        method = inner.get("benchmark_method") if isinstance(inner, Mapping) else None
        found.append(_measured({**row, "benchmark_method": row.get("benchmark_method", method)}, place, "aka_events"))
    return found


def _rows(rows: list[Row], before: str = "") -> Iterator[tuple[str, Row]]:
    """Each case with its place; raises UnusableReport at a case that failed."""
    for index, row in enumerate(rows):
        place = f"{before}{index}"
        if (failure := failure_of(row)) is not None:
            _refuse("case_failed", place, failure, "a case that ran and was correct")
        yield place, row


def failure_of(row: Row) -> str | None:
    """The failure that a row reports, or None; an unknown verdict or status counts as a failure."""
    status = row.get("status")
    found = [] if status is None or str(status).lower() in GOOD_STATUSES else [f"status {status!r}"]
    found += [f"{key} {row[key]!r}" for key in VERDICTS if row.get(key) not in (None, True)]
    found += [str(row["error"])] if row.get("error") else []
    return ", ".join([*found, str(row.get("message") or "")]).removesuffix(", ") if found else None


def _check_status(report: Row) -> None:
    if (status := report.get("status", "ok")) not in ("ok", "baseline_ok"):
        _refuse("case_failed", "status", status, "ok")


def _measured(row: Row, place: str, clock: str) -> ScriptTimes:
    """A case with its time, which must have a key that states the unit and the device's clock."""
    for key in DEVICE_TIMES:
        if key in row:
            return _case(row, place, clock, _number(row[key], f"{place}.{key}"))
    if on_host := [key for key in row if HOST_TIME.fullmatch(key)]:
        _refuse("host_time", f"{place}.{on_host[0]}", row[on_host[0]], "a time on the device's clock")
    if without := [key for key in WITHOUT_UNIT if key in row]:
        _refuse("unknown_unit", f"{place}.{without[0]}", row[without[0]], "a name that ends in _ms")
    _refuse("bad_report", place, sorted(row), f"a time: one of {', '.join(DEVICE_TIMES)}")


def _case(row: Row, place: str, clock: str, time_ms: float) -> ScriptTimes:
    method = row.get("benchmark_method") or clock
    if method in HOST_CLOCKS:
        _refuse("host_time", place, method, "a time on the device's clock")
    if method not in CLOCKS:
        _refuse("bad_report", f"{place}.benchmark_method", method, f"one of {', '.join(CLOCKS)}")
    name = next((str(row[key]) for key in NAMES if row.get(key) is not None), "")
    return ScriptTimes(name, dict(_axes(row)), str(method), time_ms)


def _axes(row: Row) -> Iterator[tuple[str, AxisValue]]:
    for key in IDENTITY:
        value = row.get(key)
        inner = value.items() if isinstance(value, Mapping) else [(key, value)] if value is not None else []
        for name, item in inner:
            is_plain = isinstance(item, str) or (isinstance(item, int) and abs(item) <= LARGEST_INT)
            yield str(name), item if is_plain else _shown(item)


def _shown(value: object) -> str:
    return "x".join(map(str, value)) if isinstance(value, list) else str(value)


def _number(value: object, place: str) -> float:
    """A plausible time or rate."""
    if value == FAILED_MS:
        _refuse("case_failed", place, value, "a time: -1 marks a case that raised")
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse("bad_report", place, value, "a number of milliseconds")
    if not 0 < value < math.inf:
        _refuse("impossible_time", place, value, "a finite number above zero")
    if not LEAST <= value <= GREATEST:
        _refuse("impossible_time", place, value, f"a number from {LEAST:g} to {GREATEST:g}")
    return float(value)


def _refuse(reason: str, place: str, seen: object, expected: str) -> NoReturn:
    raise UnusableReport(reason, place, seen, expected)
