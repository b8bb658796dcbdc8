"""KernelBench results: eval_results.json with one result or a list of samples per problem, and a baseline file.

A speedup is the baseline's time over the runtime, if both were taken on the same hardware. Sample 0 counts, as in
fast_p.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.bundles.parsed import DECLARABLE, CaseClaim, ParsedBundle, ParsedClaim, Total
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
THREE_DIGITS = 6e-3  # relative error of times, which are written with three significant digits
LEAST_ZEROS, ZERO = 5, re.compile(r"0(\.0+)?(e[-+]?0+)?")
OTHER_ARCHITECTURE = "no kernel image is available"
TOTAL_COUNTS = ("total_count", "total_eval", "compiled_count", "correct_count")
ANALYSIS_MARK = b'"fast_p"'
ROUNDING = 6e-3  # relative: rates and means are written with two or three digits
FAST = ("0.5", "0.8", "1.0", "1.5", "2.0")  # thresholds of fast_p
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
        reading.problem(
            NAME, ", ".join(found), "one file of results", "Submit each level and sample set as its own bundle"
        )
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
    unique = tuple(_without_duplicates(reading, path, claims))
    return ParsedBundle(
        format=NAME,
        generation="samples" if any(isinstance(raw, list) for raw in reading.mapping(path).values()) else "v0",
        digest=reading.digest,
        suite=f"kernelbench-level{level}" if level in KERNELBENCH_LEVELS else None,
        suite_tasks=kernelbench_tasks(level),
        declared=declared,
        asked=tuple(key for key in DECLARABLE if key not in {*declared, "golden_machine"}),
        claims=unique,
        totals=_totals(reading, unique, len(kernelbench_tasks(level))),
        findings=(),
    )


def _paths(reading: Reading) -> Iterator[str]:
    """The paths of result files."""
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
    """The baseline's times, or None if the level is not stated: problem numbers mean nothing without it."""
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
    messages = (str(text) for key, text in _metadata(raw).items() if text and ("error" in key or "issue" in key))
    return ParsedClaim(
        task=task,
        is_known=known and sample == 0,
        attempt=f"sample {sample}",
        status=status,
        reason=reason,
        message=reading.text(next(messages, None), place, task),
        claimed=reading.claimed(raw, CLAIMED),
        claimed_speedup=None,
        recomputed_speedup=speedup,
        cases=cases,
        files={},
    )


def _without_duplicates(reading: Reading, path: str, claims: list[ParsedClaim]) -> Iterator[ParsedClaim]:
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
    """The baseline's time in milliseconds, if it was taken on the same hardware."""
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
    """Note several devices, and errors that are all zero; KernelBench writes a list of error texts, one per trial."""
    if len(hardware) > 1:
        reading.find("several_devices", path, ", ".join(hardware))
    listed = [_metadata(raw).get("max_difference") for _, _, raw in rows if raw.get("correctness") is True]
    errors = [str(error) for each in listed if isinstance(each, list) for error in each]
    if len(errors) >= LEAST_ZEROS and all(ZERO.fullmatch(error) for error in errors):
        reading.find("errors_all_zero", path, f"{len(errors)} trials")


def _metadata(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    value = raw.get("metadata")
    return value if isinstance(value, dict) else {}


def _hardware(raw: Mapping[str, Any]) -> str | None:
    value = _metadata(raw).get("hardware")
    return value if isinstance(value, str) else None


def _totals(reading: Reading, claims: Sequence[ParsedClaim], tasks: int) -> tuple[Total, ...]:
    """Claimed and recomputed totals over the first sample of each problem, which is what the benchmark counts."""
    found = list[Total]()
    for path in sorted(reading.files):
        if not path.endswith(".json") or ANALYSIS_MARK not in reading.files[path][:65536]:
            continue
        raw = reading.mapping(path)
        own = _recomputed_totals([claim for claim in claims if claim.attempt == "sample 0"], tasks)
        fast = raw.get("fast_p")
        fields = {**raw, **{f"fast_{key}": value for key, value in (fast if isinstance(fast, dict) else {}).items()}}
        for name, value in reading.claimed(fields, tuple(own)).items():
            found.append(Total(name, value, own[name]))
            _compare_total(reading, f"{path}: {name}", name, value, own[name])
        if tasks and isinstance(raw.get("total_count"), int) and raw["total_count"] != tasks:
            reading.find("total_not_suite", f"{path}: total_count", f"{raw['total_count']} instead of {tasks}")
    return tuple(found)


def _compare_total(reading: Reading, place: str, name: str, claimed: object, own: float | None) -> None:
    """Note a claimed total that differs, except a mean speedup that cannot be recomputed without a baseline."""
    if not isinstance(claimed, int | float) or isinstance(claimed, bool):
        return
    if own is None and name == "geo_mean_speedup":
        return
    if own is None or not math.isclose(
        claimed, own, rel_tol=ROUNDING, abs_tol=ROUNDING if name not in TOTAL_COUNTS else 0
    ):
        reading.find("total_disagrees", place, f"{name}: claimed {claimed:g}, of the rows {own}")


def _recomputed_totals(claims: Sequence[ParsedClaim], tasks: int) -> Mapping[str, float | None]:
    """Totals with rates over the level's problems, or over the problems in the bundle if the level is not stated."""
    compiled = sum(claim.claimed.get("compiled") is True for claim in claims)
    correct = sum(claim.claimed.get("correctness") is True for claim in claims)
    speedups = [claim.recomputed_speedup for claim in claims if claim.recomputed_speedup]
    whole = tasks or len(claims)
    own: dict[str, Any] = {"total_count": whole, "total_eval": len(claims)}
    own |= {"compiled_count": compiled, "correct_count": correct}
    own |= {"compilation_rate": compiled / whole, "correctness_rate": correct / whole} if whole else {}
    own["geo_mean_speedup"] = math.exp(math.fsum(map(math.log, speedups)) / len(speedups)) if speedups else None
    passed = sum(claim.status is Status.PASSED for claim in claims)
    own |= {"fast_0.0": passed / whole} if whole else {}
    is_timed = len(speedups) == passed
    own |= {f"fast_{p}": sum(s > float(p) for s in speedups) / whole for p in FAST} if is_timed and whole else {}
    return own
