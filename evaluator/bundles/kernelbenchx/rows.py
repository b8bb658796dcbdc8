"""Rows of a KernelBench-X run: its stages joined by task, and times by input size."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from evaluator.bundles.kernelbenchx.golden import FOLDER, RATE, SIZE, SUITE, TIME, Golden, bytes_moved, is_rows, size_of
from evaluator.bundles.kernelbenchx.outcomes import row_error, source_of
from evaluator.bundles.parsed import CaseClaim
from evaluator.bundles.reading import LARGEST, Reading
from evaluator.bundles.tasklists import tasks_of
from evaluator.tasks.peaks import KERNELBENCHX_MACHINES, PEAKS
from evaluator.wording import counted

CALL, EXE, EFF = STAGES = ("results_call.jsonl", "results_exe.jsonl", "results_eff.jsonl")
FIELDS = {CALL: "call_ok", EXE: "exe_ok", EFF: "perf_ok"}
RESULTS, CALLED, LOGS = BESIDE = ("perf_results", "call_acc", "perf_logs")
SEPARATOR = b"#" * 146  # between a candidate and its test
HALF_OF_FOUR_DECIMALS = 5.1e-5
SAME_BYTES = 1e-3  # relative: both sides use the same model
THROUGHPUTS = {"gbs": RATE, "tflops": "TFLOPS"}


@dataclass(frozen=True, slots=True)
class StageRow:
    """One task: its merged fields and its performance rows."""

    place: str
    raw: Mapping[str, Any]
    performance: tuple[Mapping[str, Any], ...]
    source: str | None  # the path of the file that was called, with its test
    log: str | None  # the path of what its timing wrote as errors


def has_stages(reading: Reading) -> bool:
    return any(reading.named(*STAGES))


def merged(reading: Reading, metrics: Sequence[str]) -> dict[str, StageRow]:
    """The row of each task by path: from metrics.json, compared with the stages, or from the stages alone."""
    stages, beside = _stages(reading), _beside(reading)
    if not metrics:
        return {task: _row(reading, f"intermediate: {task}", raw, task, beside) for task, raw in stages.items()}
    found = dict[str, StageRow]()
    for path in metrics:
        for task, raw in reading.mapping(path).items():
            place = f"{path}: {task}"
            if not isinstance(raw, dict):
                reading.problem(place, raw, "an object with call_ok, exe_ok and perf_ok")
                continue
            _compare_stages(reading, place, task, raw, stages.get(task))
            found[task] = _row(reading, place, raw, task, beside)
    for task in stages.keys() - found.keys():
        reading.find("stages_disagree", metrics[0], f"{task} is in a stage and not in {metrics[0]}", task)
    return found


def cases(reading: Reading, row: StageRow, task: str, golden: Golden | None) -> tuple[CaseClaim, ...]:
    """One case per input size; of several rows with the same size, the first counts."""
    before = golden.rows(task) if golden else {}
    found = dict[str, CaseClaim]()
    for index, raw in enumerate(row.performance):
        size, place = size_of(raw), f"{row.place}: performance.{index}"
        if size in found:
            reading.find("duplicate_case", place, f"{size}: the task has no speed", task)
            continue
        found[size] = CaseClaim(size, before.get(size), reading.time_ms(raw.get(TIME), f"{place}.{TIME}", task))
    return tuple(found.values())


def fault(reading: Reading, row: StageRow, task: str, golden: Golden | None) -> str | None:
    """Why the times give no speedup, as a key of reasons.REASONS, or None."""
    sizes, before = Counter(size_of(raw) for raw in row.performance), golden.rows(task) if golden else {}
    if any(count > 1 and before.get(size, 0.0) is not None for size, count in sizes.items()):
        return "duplicate_case"
    if before and (unpaired := sizes.keys() ^ before.keys()):
        reading.find("unpaired_rows", row.place, f"{len(unpaired)}, as {sorted(unpaired)[0]}", task)
        return "case_mismatch"
    if before and golden and (other := _other_work(row, golden.bytes_of(task))):
        reading.find("other_workload", row.place, f"{counted(len(other), 'size')}, as {other[0]}", task)
        return "case_mismatch"
    times = [raw.get(TIME) for raw in row.performance]
    bad = [time for time in times if not is_time(time)]
    return "impossible_time" if bad else None if times else "no_report"


def speedup(cases: Sequence[CaseClaim]) -> float | None:
    """Σ golden / Σ candidate over all rows; None if any time is missing."""
    before, after = [case.baseline_ms for case in cases], [case.candidate_ms for case in cases]
    if not cases or None in before or None in after:
        return None
    return math.fsum(filter(None, before)) / math.fsum(filter(None, after))


def compare(
    reading: Reading, row: StageRow, task: str, cases: Sequence[CaseClaim], claimed: float | None, own: float | None
) -> None:
    runtime, times = row.raw.get("runtime_ms"), [case.candidate_ms for case in cases]
    if isinstance(runtime, int | float) and times and None not in times:
        total = math.fsum(filter(None, times))
        if abs(runtime - total) > HALF_OF_FOUR_DECIMALS:
            reading.find("time_disagrees", f"{row.place}: runtime_ms", f"claimed {runtime:g} ms, {total:g} ms", task)
    if claimed is not None and own is not None and abs(claimed - own) > HALF_OF_FOUR_DECIMALS + 1e-4 * own:
        reading.find("speedup_disagrees", f"{row.place}: speedup", f"claimed {claimed:g}, of the rows {own:g}", task)


def note_throughput(reading: Reading, row: StageRow, task: str, machine: str | None) -> None:
    """Note a claimed throughput that is not Σ work / Σ time, and rows above the peak bandwidth of a known machine."""
    times = [raw[TIME] for raw in row.performance if is_time(raw.get(TIME))]
    for field, name in THROUGHPUTS.items():
        claimed: Any = row.raw.get(field)
        rates = [raw.get(name) for raw in row.performance]
        if not times or len(times) < len(rates) or not all(map(is_time, [claimed, *rates])):
            continue
        own = math.fsum(rate * time for rate, time in zip(rates, times, strict=True)) / math.fsum(times)
        if abs(claimed - own) > HALF_OF_FOUR_DECIMALS + 1e-4 * own:
            reading.find("throughput_disagrees", f"{row.place}: {field}", f"claimed {claimed:g}, {own:g}", task)
    device_class = KERNELBENCHX_MACHINES.get(machine or "")
    peak = PEAKS[device_class].bytes_per_s / 1e9 if device_class else math.inf
    above = [raw[RATE] for raw in row.performance if is_time(raw.get(RATE)) and raw[RATE] > peak]
    if above:
        detail = f"{counted(len(above), 'row')} of {task}, up to {max(above):g} GB/s of {peak:g}"
        reading.find("above_peak", row.place, detail, task)


def source(reading: Reading, row: StageRow, task: str) -> dict[str, bytes]:
    """The candidate's source: the row's own code, or what stands above the test in the file that was called."""
    own = source_of(reading, row.raw.get("code"), row.place, task)
    if own or row.source is None:
        return own
    return {task: reading.source(reading.content(row.source).partition(SEPARATOR)[0], row.source, task)}


def message(reading: Reading, row: StageRow, task: str) -> str | None:
    """The log of a timing that failed, of which the row has the beginning only; otherwise the row's own error."""
    if row.log is not None and row.raw.get("perf_ok") is not True:
        text = reading.text(reading.content(row.log).decode("utf-8", "replace").strip(), row.log, task)
        if text:
            return text
    return reading.text(row_error(row.raw), row.place, task)


def is_time(value: object) -> bool:
    """Whether a value is a positive, finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < LARGEST


def _other_work(row: StageRow, golden: Mapping[str, float | None]) -> list[str]:
    """Input sizes whose bytes differ from the baseline's."""
    moved = {size_of(raw): bytes_moved(raw) for raw in row.performance}
    pairs = {size: (own, golden.get(size)) for size, own in moved.items()}
    return [size for size, (a, b) in pairs.items() if a and b and not math.isclose(a, b, rel_tol=SAME_BYTES)]


def _stages(reading: Reading) -> dict[str, dict[str, Any]]:
    """The fields of all three stages by task; exe and eff rows name only the file, so the suite gives the path."""
    paths = {PurePosixPath(task).name: task for task in tasks_of(SUITE)}
    found = dict[str, dict[str, Any]]()
    for stage in STAGES:
        met = set[str]()
        for place, raw in (line for path in reading.named(stage) for line in reading.lines(path)):
            name = str(raw.get("file"))
            task = name if "/" in name else paths.get(name)
            if task is None:
                reading.find("unjoined_row", place, name)
                continue
            if name in met:
                reading.find("duplicate_row", place, name, task)
            met.add(name)
            rest = {key: value for key, value in raw.items() if value not in (None, "") and key not in ("ok", "file")}
            found.setdefault(task, {}).update({**rest, FIELDS[stage]: raw.get("ok")})
    return found


def _beside(reading: Reading) -> dict[tuple[str, str], str]:
    """The paths of files for one task, such as its times, by folder and stem; the nearest to the root counts."""
    paths = sorted((PurePosixPath(path) for path in reading.files), key=lambda path: (-len(path.parts), path))
    found = dict[tuple[str, str], str]()
    for path in paths:
        folder = next((name for name in reversed(path.parent.parts) if name in (*BESIDE, FOLDER)), None)
        if folder in BESIDE and path.suffix != ".log":  # of two logs, the errors
            found[folder, path.stem] = str(path)
    return found


def _row(
    reading: Reading, place: str, raw: Mapping[str, Any], task: str, beside: Mapping[tuple[str, str], str]
) -> StageRow:
    listed: Any = raw.get("performance")
    stem = PurePosixPath(task).stem
    if not listed and (path := beside.get((RESULTS, stem))):
        listed = reading.parsed(path)
    if listed and not is_rows(listed):
        reading.problem(f"{place}: performance", listed, f"a list of rows with {SIZE} and {TIME}")
        listed = []
    log = beside.get((LOGS, f"{stem}_perf.py"))
    return StageRow(place, raw, tuple(listed or ()), beside.get((CALLED, stem)), log)


def _compare_stages(
    reading: Reading, place: str, task: str, raw: Mapping[str, Any], stage: Mapping[str, Any] | None
) -> None:
    for field in ("call_ok", "exe_ok"):
        if stage and field in stage and stage[field] is not raw.get(field):
            reading.find("stages_disagree", place, f"{field}: {raw.get(field)}, in its stage {stage[field]}", task)
