"""KernelBench: eval_results.json in both shapes (one result or a list of samples a problem), with a baseline file.

A speed is baseline over runtime, and only where both were taken on the same hardware. Sample 0 counts, as in fast_p.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.bundles.kernelbench import totals
from evaluator.bundles.parsed import DECLARABLE, CaseClaim, ParsedBundle, ParsedClaim
from evaluator.bundles.reading import Reading
from evaluator.bundles.tasklists import KERNELBENCH_LEVELS, kernelbench_tasks
from evaluator.records.reasons import Status
from evaluator.wording import counted

NAME = "KernelBench"
MARKS = "a JSON object of problem numbers with compiled and correctness, and a baseline file with level1 … level3"
CLAIMED = ("sample_id", "compiled", "correctness", "runtime")
BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\"\d+\"\s*:")
TRIALS = re.compile(r"\(\s*(\d{1,6})\s*/\s*(\d{1,6})\s*\)")
LEAST_TRIALS, LEAST_TIMINGS = 3, 10
EXCESSIVE, NOISE = 10.0, 0.01
THREE_DIGITS = 6e-3  # relative: times are written with three significant digits
LEAST_ZEROS, ZERO = 5, re.compile(r"0(\.0+)?(e[-+]?0+)?")
OTHER_ARCHITECTURE = "no kernel image is available"
CRASHES = ("runtime_error", "cuda_error", "gpu_error")


@dataclass(frozen=True, slots=True)
class Baseline:
    path: str
    hardware: str | None
    times_ms: Mapping[str, float | None]  # by problem number


def recognises(reading: Reading) -> bool:
    return any(True for _ in _paths(reading))


def translate(reading: Reading) -> ParsedBundle | None:
    found = list(_paths(reading))
    if len(found) > 1:
        reading.problem(NAME, ", ".join(found), "one file of results", "Each level and sample set is its own bundle")
        return None
    (path,) = found
    rows = list(_rows(reading, path))
    hardware = sorted({text for _, _, raw in rows if (text := _hardware(raw))})
    declared = reading.declared({"device": ", ".join(hardware)})
    _note_whole(reading, path, rows, hardware)
    level = declared.get("level", "")
    baseline = _baseline(reading, level)
    claims = [_claim(reading, place, number, raw, level, baseline) for place, number, raw in rows]
    if level not in KERNELBENCH_LEVELS:
        reading.find("unstated_level", path, counted(len(claims), "result"))
    once = tuple(_once(reading, path, claims))
    return ParsedBundle(
        format=NAME,
        generation="samples" if any(isinstance(raw, list) for raw in reading.mapping(path).values()) else "v0",
        digest=reading.digest,
        suite=f"kernelbench-level{level}" if level in KERNELBENCH_LEVELS else None,
        suite_tasks=kernelbench_tasks(level),
        declared=declared,
        asked=tuple(key for key in DECLARABLE if key not in {*declared, "golden_machine"}),
        claims=once,
        totals=totals.totals(reading, once, len(kernelbench_tasks(level))),
        findings=(),
    )


def _paths(reading: Reading) -> Iterator[str]:
    """Files that begin as such results do."""
    for path in sorted(reading.files):
        if path.endswith(".json") and BEGINS.match(reading.files[path]) and _is_results(reading.parsed(path)):
            yield path


def _is_results(value: Any) -> bool:
    if not isinstance(value, dict) or not value or not all(key.isdigit() for key in value):
        return False
    first = next(iter(value.values()))
    first = first[0] if isinstance(first, list) and first else first
    return isinstance(first, dict) and "compiled" in first and "correctness" in first


def _rows(reading: Reading, path: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for number, value in reading.mapping(path).items():
        for index, raw in enumerate(value if isinstance(value, list) else [value]):
            place = f"{path}: {number}.{index}" if isinstance(value, list) else f"{path}: {number}"
            if isinstance(raw, dict) and number.isdigit():
                yield place, number, raw
            else:
                reading.problem(place, raw, "a problem's number, and an object with compiled, correctness and runtime")


def _baseline(reading: Reading, level: str) -> Baseline | None:
    key, found = f"level{level or 1}", list[str]()
    for path in sorted(reading.files):
        if path.endswith(".json") and b'"level' in reading.files[path][:4096]:
            raw = reading.parsed(path)
            found += [path] if isinstance(raw, dict) and key in raw else []
    if len(found) > 1:
        reading.find("several_baselines", NAME, ", ".join(found))
    if found:
        return _times(reading, found[0], reading.mapping(found[0])[key], level)
    reading.find("no_baseline", NAME, "add baseline_time_torch.json of the same hardware")
    return None


def _times(reading: Reading, path: str, listed: Any, level: str) -> Baseline | None:
    """Only of a stated level: numbers of another level are other problems."""
    if not isinstance(listed, dict) or not level:
        reading.find("no_baseline", path, "the level is not stated")
        return None
    hardware, times = set[str](), dict[str, float | None]()
    for name, raw in listed.items():
        number, place = name.partition("_")[0], f"{path}: level{level}.{name}"
        if not isinstance(raw, dict):
            reading.problem(place, raw, "an object with mean")
            continue
        times[number] = reading.time_ms(raw.get("mean"), f"{place}.mean", f"level{level}/{number}")
        hardware.add(str(raw.get("hardware")))
    return Baseline(path, hardware.pop() if len(hardware) == 1 else None, times)


def _claim(
    reading: Reading, place: str, number: str, raw: Mapping[str, Any], level: str, baseline: Baseline | None
) -> ParsedClaim:
    task = f"level{level or '?'}/{number}"
    known = task in kernelbench_tasks(level)
    if level and not known:
        reading.find("unknown_task", place, task, task)
    status, reason = _status(reading, place, task, raw)
    time = reading.time_ms(raw.get("runtime"), f"{place}: runtime", task) if status is Status.PASSED else None
    if status is Status.PASSED and time is None:
        reading.find("correct_without_time", place, task, task)
        status, reason = Status.IMPLAUSIBLE, "impossible_time"
    before = _comparable(reading, place, task, raw, baseline, number) if time is not None else None
    cases = (CaseClaim("problem", before, time),) if time is not None else ()
    speedup = cases[0].speedup if cases else None
    _note(reading, place, task, raw, speedup)
    sample = raw.get("sample_id", 0)
    text = next((str(_metadata(raw)[key]) for key in _messages(raw)), None)
    return ParsedClaim(
        task=task,
        is_known=known and sample == 0,
        attempt=f"sample {sample}",
        status=status,
        reason=reason,
        message=reading.text(text, place, task),
        claimed=reading.claimed(raw, CLAIMED),
        claimed_speedup=None,
        recomputed_speedup=speedup,
        cases=cases,
        files={},
    )


def _once(reading: Reading, path: str, claims: list[ParsedClaim]) -> Iterator[ParsedClaim]:
    met = set[tuple[str, str]]()
    for claim in claims:
        if (claim.task, claim.attempt) in met:
            reading.find("duplicate_task", path, f"{claim.task} {claim.attempt}", claim.task)
            continue
        met.add((claim.task, claim.attempt))
        yield claim


def _status(reading: Reading, place: str, task: str, raw: Mapping[str, Any]) -> tuple[Status, str | None]:
    metadata = _metadata(raw)
    if any(OTHER_ARCHITECTURE in str(text) for text in metadata.values()):
        reading.find("wrong_architecture", place, task, task)
        return Status.NOT_JUDGED, "unsupported_feature"
    if raw.get("compiled") is not True:
        return Status.BUILD_FAILED, "compiler_error"
    if raw.get("correctness") is True:
        return Status.PASSED, None
    is_crash = any(metadata.get(key) for key in CRASHES)
    return (Status.CRASHED, "raised") if is_crash else (Status.WRONG_OUTPUT, "check_failed")


def _comparable(
    reading: Reading, place: str, task: str, raw: Mapping[str, Any], baseline: Baseline | None, number: str
) -> float | None:
    """The baseline's time, if it says something about this runtime."""
    if baseline is None:
        return None
    if baseline.hardware is None or baseline.hardware != _hardware(raw):
        detail = f"{_hardware(raw)}; baseline {baseline.hardware}"
        reading.find("baseline_other_hardware", place, detail, task)
        return None
    if (time := baseline.times_ms.get(number)) is None:
        reading.find("baseline_incomplete", baseline.path, task, task)
    return time


def _note(reading: Reading, place: str, task: str, raw: Mapping[str, Any], speedup: float | None) -> None:
    metadata = _metadata(raw)
    if (speedup is not None and speedup > EXCESSIVE) or metadata.get("excessive_speedup"):
        reading.find("excessive_speedup", place, f"{speedup}", task)
    if speedup is not None and 1 < speedup < 1 + NOISE:
        reading.find("within_noise", place, f"{speedup:g} times the baseline", task)
    _note_timings(reading, place, task, raw)
    match = TRIALS.search(str(metadata.get("correctness_trials", "")))
    if raw.get("correctness") is True and match and int(match[2]) < LEAST_TRIALS:
        reading.find("few_trials", place, match[0], task)


def _note_timings(reading: Reading, place: str, task: str, raw: Mapping[str, Any]) -> None:
    stats = raw.get("runtime_stats")
    if not isinstance(stats, dict) or not stats or raw.get("correctness") is not True:
        return
    runtime, mean = reading.number(raw.get("runtime"), place, task), reading.number(stats.get("mean"), place, task)
    if runtime and mean and not math.isclose(runtime, mean, rel_tol=THREE_DIGITS):
        reading.find("time_disagrees", f"{place}: runtime", f"claimed {runtime:g} ms, its mean {mean:g} ms", task)
    if isinstance(stats.get("num_trials"), int) and stats["num_trials"] < LEAST_TIMINGS:
        reading.find("few_timings", f"{place}: runtime_stats", f"{stats['num_trials']}", task)
    if stats.get("std") is None:
        reading.find("unstated_spread", f"{place}: runtime_stats", "no std", task)


def _note_whole(
    reading: Reading, path: str, rows: list[tuple[str, str, Mapping[str, Any]]], hardware: list[str]
) -> None:
    """Errors are texts in a list here, one a trial."""
    if len(hardware) > 1:
        reading.find("several_devices", path, ", ".join(hardware))
    listed = [_metadata(raw).get("max_difference") for _, _, raw in rows if raw.get("correctness") is True]
    errors = [str(error) for each in listed if isinstance(each, list) for error in each]
    if len(errors) >= LEAST_ZEROS and all(ZERO.fullmatch(error) for error in errors):
        reading.find("errors_all_zero", path, f"{len(errors)} trials")


def _messages(raw: Mapping[str, Any]) -> list[str]:
    words = ("error", "issue")
    return [key for key, text in _metadata(raw).items() if text and any(word in key for word in words)]


def _metadata(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    value = raw.get("metadata")
    return value if isinstance(value, dict) else {}


def _hardware(raw: Mapping[str, Any]) -> str | None:
    value = _metadata(raw).get("hardware")
    return value if isinstance(value, str) else None
