"""Takes traces of what the device does in calls, and reads what profilers write: torch's kineto, and rocprofv3's CSV.

A trace comes from a process in which the candidate ran, so nothing of it is believed but its form.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

from evaluator.errors import EvaluatorError
from evaluator.inside.gpu.trace import RANGES
from evaluator.judge.draws import Contents
from evaluator.judge.side import Runner
from evaluator.sandbox import Worker
from evaluator.tasks.spec import Case

LIVE = ("cuda",)  # backends on which the profiler runs here; of rocm a recording is read
TRACED_DRAW = 2000  # index of the first draw for traced calls: no other call has its contents
TRACE_S = 120.0  # for starting the profiler, and for writing a trace
FILE = "activity.json"  # of the worker's workspace
MAX_BYTES = 64 << 20  # of one trace
MAX_NAME = 300
# Namespaces of libraries.
LIBRARIES = ("at::", "c10::", "cub::", "thrust::", "cutlass::", "pytorch_flash::", "cask_cudnn::", "cudnn::")

Kind = Literal["kernel", "copy", "fill"]
KINETO: Mapping[str, Kind] = {"kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "fill"}  # by category


class TraceUnreadable(EvaluatorError):
    """A trace is damaged, or does not have the ranges of whole calls."""


@dataclass(frozen=True, slots=True)
class DeviceWork:
    """Something that the device did, with its times in the trace in nanoseconds."""

    name: str
    kind: Kind
    begin_ns: float
    end_ns: float

    @property
    def took_ns(self) -> float:
        return self.end_ns - self.begin_ns

    def is_own(self, names: frozenset[str]) -> bool:
        """Whether it is a kernel of sources that define kernels of these names, and in no library's namespace."""
        name = base_name(self.name)
        return self.kind == "kernel" and not name.startswith(LIBRARIES) and name.rpartition("::")[2] in names


@dataclass(frozen=True, slots=True)
class TracedCall:
    """The device's work of one call. `late` is the part done after the call had returned and the device was idle."""

    work: tuple[DeviceWork, ...]
    late: tuple[DeviceWork, ...]


@dataclass(frozen=True, slots=True)
class _Range:
    name: str
    begin_ns: float


def traced(runner: Runner, calls: Iterable[tuple[Case, Contents]], flush_bytes: int = 4096) -> bytes:
    """Return torch's trace of these calls, each after `flush_bytes` were written to flush the caches.

    Raises:
        WorkerError: the profiler or a call failed.
        TraceUnreadable: it is too large, or no trace.
    """
    worker, limit_s = runner.worker, runner.side.task.limits.first_call_s
    worker.call("trace", timeout_s=TRACE_S, what="begin", flush_bytes=flush_bytes)
    for case, contents in calls:
        runner.open(case, contents).write(contents, worker)
        worker.call("trace", timeout_s=limit_s, what="call")
    worker.call("trace", timeout_s=TRACE_S, what="end", path=FILE)
    return _taken(worker)


def base_name(kernel: str) -> str:
    """Return a kernel's name without template arguments and parameters, whose types differ between compilers."""
    plain = kernel.replace("(anonymous namespace)::", "")
    return plain.partition("(")[0].partition("<")[0].rpartition(" ")[2]


def kineto_calls(data: bytes, outputs: int) -> list[TracedCall]:
    """Return the calls in a trace that torch's profiler exported. The first `outputs` copies after a call are ours.

    Raises:
        TraceUnreadable.
    """
    if len(data) > MAX_BYTES:
        raise TraceUnreadable(f"a trace of {len(data):,} bytes; at most {MAX_BYTES:,} are read")
    try:
        events = json.loads(data)["traceEvents"]
        complete = [event for event in events if event.get("ph") == "X"]
        work = [_kineto_work(event) for event in complete if event.get("cat") in KINETO]
        ranges = [_kineto_range(event) for event in complete if _is_range(event)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise TraceUnreadable(f"the trace cannot be read: {type(error).__name__}: {error}") from error
    return _calls(work, ranges, outputs)


def rocprof_calls(files: Mapping[str, str], outputs: int) -> list[TracedCall]:
    """Return the calls in the CSV files of `rocprofv3 --kernel-trace --memory-copy-trace --marker-trace`, by file name.

    Raises:
        TraceUnreadable.
    """
    try:
        kernels = [_rocprof_work(row["Kernel_Name"], "kernel", row) for row in _rows(files, "_kernel_trace.csv")]
        copies = [_rocprof_work(row["Direction"], "copy", row) for row in _rows(files, "_memory_copy_trace.csv")]
        markers = [row for row in _rows(files, "_marker_api_trace.csv") if row["Function"] in RANGES]
        ranges = [_Range(row["Function"], _number(row["Start_Timestamp"])) for row in markers]
    except (KeyError, ValueError, TypeError, csv.Error) as error:
        raise TraceUnreadable(f"the trace cannot be read: {type(error).__name__}: {error}") from error
    return _calls([*kernels, *copies], ranges, outputs)


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


def _calls(work: list[DeviceWork], ranges: list[_Range], outputs: int) -> list[TracedCall]:
    """Divide the work by the ranges in which it began."""
    ranges = sorted(ranges, key=lambda one: one.begin_ns)
    count, rest = divmod(len(ranges), len(RANGES))
    if rest or not count or [one.name for one in ranges] != [*RANGES] * count:
        raise TraceUnreadable(f"expected ranges {', '.join(RANGES)} in turn; seen {len(ranges)} in another order")
    begins = [one.begin_ns for one in ranges] + [math.inf]
    if not any(_between(work, begins[index], begins[index + 1]) for index in range(0, len(ranges), len(RANGES))):
        raise TraceUnreadable("the profiler saw no work of the device, not even ours between the calls")
    calls = []
    for index in range(1, len(ranges), len(RANGES)):
        called, consumed, after = begins[index : index + 3]
        later = _between(work, consumed, after)
        ours = [one for one in later if one.kind == "copy"][:outputs]
        late = tuple(one for one in later if one not in ours)
        calls.append(TracedCall((*_between(work, called, consumed), *late), late))
    return calls


def _between(work: list[DeviceWork], begin_ns: float, end_ns: float) -> list[DeviceWork]:
    found = [one for one in work if begin_ns <= one.begin_ns < end_ns]
    return sorted(found, key=lambda one: one.begin_ns)


def _is_range(event: Mapping[str, Any]) -> bool:
    return event.get("cat") == "user_annotation" and event.get("name") in RANGES


def _kineto_work(event: Mapping[str, Any]) -> DeviceWork:
    """Make it from an event whose times are microseconds."""
    begin_ns, took_ns = _number(event["ts"]) * 1e3, _number(event["dur"]) * 1e3
    return DeviceWork(str(event["name"])[:MAX_NAME], KINETO[event["cat"]], begin_ns, begin_ns + _not_negative(took_ns))


def _kineto_range(event: Mapping[str, Any]) -> _Range:
    return _Range(event["name"], _number(event["ts"]) * 1e3)


def _rocprof_work(name: str, kind: Kind, row: Mapping[str, str]) -> DeviceWork:
    begin_ns, end_ns = _number(row["Start_Timestamp"]), _number(row["End_Timestamp"])
    _not_negative(end_ns - begin_ns)
    return DeviceWork(name[:MAX_NAME], kind, begin_ns, end_ns)


def _rows(files: Mapping[str, str], ending: str) -> Iterator[dict[str, str]]:
    """Yield the rows of all files with this ending: a process writes its own."""
    for name in sorted(files):
        if name.endswith(ending):
            yield from csv.DictReader(io.StringIO(files[name]))


def _number(value: object) -> float:
    number = float(value)  # type: ignore[arg-type]
    if not math.isfinite(number):
        raise ValueError(f"{value!r:.40} is not a time")
    return number


def _not_negative(duration_ns: float) -> float:
    if duration_ns < 0:
        raise ValueError("a duration below zero")
    return duration_ns
