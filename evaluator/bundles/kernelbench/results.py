"""KernelBench results: eval_results.json with one result or a list of samples per problem, as a file or a run folder.

A speedup is the baseline's time over the runtime, if both were taken on the same hardware. Sample 0 counts, as in
fast_p.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from evaluator.bundles import plausibility
from evaluator.bundles.kernelbench import run_folder
from evaluator.bundles.kernelbench.baseline import Baseline, read_baseline
from evaluator.bundles.kernelbench.outcomes import message, metadata, outcome
from evaluator.bundles.kernelbench.run_folder import RunFolder
from evaluator.bundles.kernelbench.sources import only_source
from evaluator.bundles.kernelbench.totals import totals
from evaluator.bundles.parsed import DECLARABLE, CaseClaim, ParsedBundle, ParsedClaim
from evaluator.bundles.reading import Reading
from evaluator.bundles.tasklists import KERNELBENCH_LEVELS, kernelbench_suite, kernelbench_tasks
from evaluator.records.reasons import Status
from evaluator.wording import counted

NAME = "KernelBench"
MARKS = "a JSON object of problem numbers with compiled and correctness, alone or in its run folder; a baseline file"
CLAIMED = ("sample_id", "compiled", "correctness", "runtime", "ref_runtime")
BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\"\d+\"\s*:")
TRIALS = re.compile(r"\(\s*(\d{1,6})\s*/\s*(\d{1,6})\s*\)")
LEAST_TRIALS, LEAST_TIMINGS = 3, 10
THREE_DIGITS = 6e-3  # relative error of times, which are written with three significant digits
LEAST_ZEROS, ZERO = 5, re.compile(r"0(\.0+)?(e[-+]?0+)?")
UNTIMED = (None, -1, -1.0)  # of the reference


@dataclass(frozen=True, slots=True)
class SampleRow:
    """One result as written, with what identifies it."""

    place: str
    level: str  # "" if unknown
    number: str
    raw: Mapping[str, Any]

    @property
    def task(self) -> str:
        return f"level{self.level or '?'}/{self.number}"

    @property
    def sample(self) -> str:
        return str(self.raw.get("sample_id", 0))

    @property
    def hardware(self) -> str | None:
        value = metadata(self.raw).get("hardware")
        return value if isinstance(value, str) else None


def recognises(reading: Reading) -> bool:
    return any(True for _ in _paths(reading))


def translate(reading: Reading) -> ParsedBundle | None:
    paths = list(_paths(reading))
    if len(paths) > len(KERNELBENCH_LEVELS):
        seen, hint = counted(len(paths), "file of results", "files of results"), "Submit each run as its own bundle"
        reading.problem(NAME, seen, "one for each level", hint)
        return None
    runs = run_folder.run_folders(reading, paths)
    hardware = sorted({text for run in runs for row in _rows(reading, run, "") if (text := row.hardware)})
    found = run_folder.facts(reading, runs, hardware)
    declared = reading.declared(found)
    level = declared.get("level", "") if declared.get("level") != found.get("level") else ""
    run_folder.check_levels(reading, runs, level)
    if reading.problems:
        return None
    claims = [claim for run in runs for claim in _claims(reading, run, run.level(level))]
    if len(hardware) > 1:
        reading.find("several_devices", NAME, ", ".join(hardware))
    known = [run.level(level) for run in runs if run.level(level) in KERNELBENCH_LEVELS]
    tasks = tuple(task for level in known for task in kernelbench_tasks(level))
    return ParsedBundle(
        format=NAME,
        generation="samples" if any(_has_samples(reading.mapping(run.path)) for run in runs) else "v0",
        digest=reading.digest,
        suite=kernelbench_suite(known),
        suite_tasks=tasks,
        declared=declared,
        asked=tuple(key for key in DECLARABLE if key not in {*declared, "golden_machine"}),
        claims=tuple(claims),
        totals=totals(reading, claims, known),
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


def _has_samples(results: Mapping[str, Any]) -> bool:
    return any(isinstance(raw, list) for raw in results.values())


def _rows(reading: Reading, run: RunFolder, level: str) -> Iterator[SampleRow]:
    for number, value in reading.mapping(run.path).items():
        for index, raw in enumerate(value if isinstance(value, list) else [value]):
            place = f"{run.path}: {number}.{index}" if isinstance(value, list) else f"{run.path}: {number}"
            if isinstance(raw, dict):
                yield SampleRow(place, level, number, raw)
            else:
                reading.problem(place, raw, "an object with compiled, correctness and runtime")


def _claims(reading: Reading, run: RunFolder, level: str) -> list[ParsedClaim]:
    """The claims of one file of results, and of kernels beside it that have no result."""
    rows, baseline = list(_rows(reading, run, level)), read_baseline(reading, level) if level else None
    _note_zeros(reading, run.path, rows)
    if level not in KERNELBENCH_LEVELS:
        reading.find("unstated_level", run.path, counted(len(rows), "result"))
    found = dict[tuple[str, str], ParsedClaim]()
    for row in rows:
        if (row.task, row.sample) in found:
            reading.find("duplicate_task", row.place, f"{row.task} sample {row.sample}", row.task)
            continue
        found[row.task, row.sample] = _claim(reading, run, row, baseline)
    claims = list(found.values())
    if any(case.baseline_ms is None for claim in claims for case in claim.cases) and baseline is None:
        needed = "baseline_time_torch.json of the same hardware" if level else "the level"
        reading.find("no_baseline", run.path, f"add {needed}")
    left = [key for key in run.kernels if key[0] == level and (f"level{level}/{key[1]}", key[2]) not in found]
    return claims + [_unjudged(reading, run, *key) for key in left]


def _claim(reading: Reading, run: RunFolder, row: SampleRow, baseline: Baseline | None) -> ParsedClaim:
    task, known = row.task, row.task in kernelbench_tasks(row.level)
    if row.level and not known:
        reading.find("unknown_task", row.place, task, task)
    status, reason = outcome(reading, row.place, task, row.raw)
    time = reading.time_ms(row.raw.get("runtime"), f"{row.place}: runtime", task) if status is Status.PASSED else None
    if status is Status.PASSED and time is None:
        reading.find("correct_without_time", row.place, task, task)
        status, reason = Status.IMPLAUSIBLE, "impossible_time"
    cases = (CaseClaim("problem", _before(reading, row, baseline), time),) if time is not None else ()
    _note(reading, row)
    claim = ParsedClaim(
        task=task,
        is_known=known and row.sample == "0",
        attempt=f"sample {row.sample}",
        status=status,
        reason=reason,
        message=reading.text(message(row.raw), row.place, task),
        claimed=reading.claimed(row.raw, CLAIMED),
        claimed_speedup=None,
        recomputed_speedup=cases[0].speedup if cases else None,
        cases=cases,
        files=_source(reading, run, row.level, row.number, row.sample),
    )
    plausibility.note(reading, row.place, claim)
    return claim


def _unjudged(reading: Reading, run: RunFolder, level: str, number: str, sample: str) -> ParsedClaim:
    task, files = f"level{level}/{number}", _source(reading, run, level, number, sample)
    known = task in kernelbench_tasks(level) and sample == "0"
    reading.find("vanished_task", run.path, f"{task} sample {sample}, whose kernel is there", task)
    text = "The run left a kernel and no result."
    return ParsedClaim(task, known, f"sample {sample}", Status.NOT_JUDGED, None, text, {}, None, None, (), files)


def _source(reading: Reading, run: RunFolder, level: str, number: str, sample: str) -> dict[str, bytes]:
    task = f"level{level}/{number}"
    path = only_source(reading, run.path, task, run.kernels.get((level, number, sample), ()))
    return {PurePosixPath(path).name: reading.source(reading.content(path), path, task)} if path else {}


def _before(reading: Reading, row: SampleRow, baseline: Baseline | None) -> float | None:
    """The baseline's time in milliseconds; without a baseline file, the reference's own time beside the runtime."""
    if baseline is not None:
        return baseline.time_ms(reading, row.place, row.task, row.hardware)
    if row.raw.get("ref_runtime") in UNTIMED:
        return None
    return reading.time_ms(row.raw["ref_runtime"], f"{row.place}: ref_runtime", row.task)


def _note(reading: Reading, row: SampleRow) -> None:
    found = metadata(row.raw)
    if found.get("excessive_speedup"):
        reading.find("suspect_flag", row.place, "excessive_speedup", row.task)
    if row.raw.get("correctness") is not True:
        return
    _note_timings(reading, row)
    match = TRIALS.search(str(found.get("correctness_trials", "")))
    if match and int(match[2]) < LEAST_TRIALS:
        reading.find("few_trials", row.place, match[0], row.task)


def _note_timings(reading: Reading, row: SampleRow) -> None:
    stats, place, task = row.raw.get("runtime_stats"), row.place, row.task
    if not isinstance(stats, dict) or not stats:
        return
    runtime, mean = (reading.number(value, place, task) for value in (row.raw.get("runtime"), stats.get("mean")))
    if runtime and mean and not math.isclose(runtime, mean, rel_tol=THREE_DIGITS):
        reading.find("time_disagrees", f"{place}: runtime", f"claimed {runtime:g} ms, its mean {mean:g} ms", task)
    if isinstance(stats.get("num_trials"), int) and stats["num_trials"] < LEAST_TIMINGS:
        reading.find("few_timings", f"{place}: runtime_stats", f"{stats['num_trials']}", task)
    if stats.get("std") is None:
        reading.find("unstated_spread", f"{place}: runtime_stats", "no std", task)


def _note_zeros(reading: Reading, path: str, rows: Sequence[SampleRow]) -> None:
    """Note errors that are all zero; KernelBench writes a list of error texts, one per trial."""
    listed = [metadata(row.raw).get("max_difference") for row in rows if row.raw.get("correctness") is True]
    errors = [str(error) for each in listed if isinstance(each, list) for error in each]
    if len(errors) >= LEAST_ZEROS and all(ZERO.fullmatch(error) for error in errors):
        reading.find("errors_all_zero", path, f"{len(errors)} trials")
