"""The data of KernelBench's public leaderboard: data.json, raw_data.json with times, and solutions beside them.

A claim is one model's kernel for one problem. Which model wrote it is the attempt, so that only those of the model
that the submitter states count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from evaluator.bundles import plausibility
from evaluator.bundles.kernelbench.sources import only_source
from evaluator.bundles.parsed import DECLARABLE, CaseClaim, ParsedBundle, ParsedClaim
from evaluator.bundles.reading import Reading
from evaluator.bundles.tasklists import KERNELBENCH_LEVELS, kernelbench_suite, kernelbench_tasks
from evaluator.records.reasons import Status
from evaluator.wording import counted

NAME = "KernelBench leaderboard"
MARKS = "a JSON object of “Level N: ID_NAME” with torch_speedup, or a list of rows with problem_id and torch_speedup"
BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*\"Level \d+: \d+_|\[\s*\{)")
PROBLEM = re.compile(r"Level (\d{1,2}): (\d{1,4})_.*")
CLAIMED = (
    *("display_name", "model", "file", "torch_speedup", "torch_compile_speedup"),
    *("baseline_torch_time", "baseline_torch_compile_time", "kernel_eval_time"),
)
TIMED = ("level", "problem_id", "torch_speedup")  # of a row of raw_data.json
FILE = re.compile(r"[\w-]{1,100}")
ROUNDING = 1e-6  # relative: ratios are computed from the times beside them


@dataclass(frozen=True, slots=True)
class RankedRow:
    """One kernel of one model."""

    place: str
    level: str
    number: str  # from 1
    raw: Mapping[str, Any]

    @property
    def task(self) -> str:
        return f"level{self.level}/{self.number}"

    @property
    def model(self) -> str:
        return str(self.raw.get("display_name") or self.raw.get("model") or "unknown")


def recognises(reading: Reading) -> bool:
    return any(True for _ in _paths(reading))


def translate(reading: Reading) -> ParsedBundle | None:
    rows = [row for path in _paths(reading) for row in _rows(reading, path)]
    if not rows:
        reading.problem(NAME, "no row", "at least one")
        return None
    models = sorted({row.model for row in rows})
    declared = reading.declared({"model": models[0]} if len(models) == 1 else {})
    if len(models) > 1:
        reading.find("several_models", NAME, ", ".join(models))
    claims = _claims(reading, rows, declared.get("model", ""))
    levels = sorted({row.level for row in rows} & {*KERNELBENCH_LEVELS}) if any(one.is_known for one in claims) else []
    return ParsedBundle(
        format=NAME,
        generation="raw data" if any("kernel_eval_time" in row.raw for row in rows) else "data",
        digest=reading.digest,
        suite=kernelbench_suite(levels),
        suite_tasks=tuple(task for level in levels for task in kernelbench_tasks(level)),
        declared=declared,
        asked=tuple(key for key in DECLARABLE if key not in {*declared, "golden_machine", "level"}),
        claims=tuple(claims),
        totals=(),
        findings=(),
    )


def _paths(reading: Reading) -> Iterator[str]:
    """The paths of the leaderboard's files; those with times come first, since their rows say more."""
    found = [path for path in sorted(reading.files) if path.endswith(".json") and _is_board(reading, path)]
    yield from sorted(found, key=lambda path: not isinstance(reading.parsed(path), list))


def _is_board(reading: Reading, path: str) -> bool:
    data = reading.files[path]
    if not BEGINS.match(data) or b"torch_speedup" not in data:
        return False
    value = reading.parsed(path)
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], dict) and set(TIMED) <= value[0].keys()
    return isinstance(value, dict) and all(PROBLEM.fullmatch(key) for key in value)


def _rows(reading: Reading, path: str) -> Iterator[RankedRow]:
    value = reading.parsed(path)
    for place, level, number, raw in _timed_rows(path, value) if isinstance(value, list) else _ranked_rows(path, value):
        if isinstance(raw, dict) and level and number:
            yield RankedRow(place, level, number, raw)
        else:
            reading.problem(place, raw, f"an object with {', '.join(TIMED)}")


def _timed_rows(path: str, rows: list[Any]) -> Iterator[tuple[str, str, str, Any]]:
    """Place, level, problem and row of raw_data.json, which counts problems from 0."""
    for index, raw in enumerate(rows):
        level, problem = (raw.get("level"), raw.get("problem_id")) if isinstance(raw, dict) else (None, None)
        is_named = type(level) is int and type(problem) is int
        yield f"{path}: {index}", f"{level}" if is_named else "", f"{(problem or 0) + 1}" if is_named else "", raw


def _ranked_rows(path: str, problems: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Any]]:
    """Place, level, problem and row of data.json, which has a list for each problem."""
    for name, rows in problems.items():
        match = PROBLEM.fullmatch(name)
        for index, raw in enumerate(rows if isinstance(rows, list) else [rows]):
            yield f"{path}: {name}.{index}", *(match.groups() if match else ("", "")), raw


def _claims(reading: Reading, rows: list[RankedRow], model: str) -> list[ParsedClaim]:
    """One claim per problem and model; a second row of it, as in the other file, is only compared."""
    sources = dict[str, list[str]]()
    for path in sorted(reading.files):
        if path.endswith(".py"):
            sources.setdefault(PurePosixPath(path).stem, []).append(path)
    found = dict[tuple[str, str], ParsedClaim]()
    for row in rows:
        first = found.get((row.task, row.model))
        if first is None:
            found[row.task, row.model] = _claim(reading, row, model, sources)
        elif first.claimed.get("file") != row.raw.get("file"):
            reading.find("duplicate_task", row.place, f"{row.task} {row.model}", row.task)
        elif not _close(first.claimed_speedup, reading.number(row.raw.get("torch_speedup"), row.place, row.task)):
            detail = f"torch_speedup {row.raw.get('torch_speedup')}, in the other file {first.claimed_speedup}"
            reading.find("report_disagrees", row.place, detail, row.task)
    untimed = sum(not claim.cases for claim in found.values())
    if untimed:
        reading.find("no_baseline", NAME, f"{counted(untimed, 'speedup')}; add raw_data.json with their times")
    return list(found.values())


def _claim(reading: Reading, row: RankedRow, model: str, sources: Mapping[str, Sequence[str]]) -> ParsedClaim:
    is_of_level = row.task in kernelbench_tasks(row.level)
    if not is_of_level:
        reading.find("unknown_task", row.place, row.task, row.task)
    claimed = reading.number(row.raw.get("torch_speedup"), f"{row.place}: torch_speedup", row.task)
    cases = _cases(reading, row, claimed)
    own = cases[0].speedup if cases else None
    if claimed is not None and own is not None and not _close(claimed, own):
        reading.find("speedup_disagrees", row.place, f"claimed {claimed:g}, of its times {own:g}", row.task)
    is_timed = own is not None if cases else claimed is not None and claimed > 0
    if all(case.candidate_ms is None for case in cases) and not is_timed:
        reading.find("correct_without_time", row.place, row.task, row.task)
    claim = ParsedClaim(
        task=row.task,
        is_known=is_of_level and row.model == model,
        attempt=row.model,
        status=Status.PASSED if is_timed else Status.IMPLAUSIBLE,
        reason=None if is_timed else "impossible_time",
        message=None,
        claimed=reading.claimed(row.raw, CLAIMED),
        claimed_speedup=claimed,
        recomputed_speedup=own,
        cases=cases,
        files=_source(reading, row, sources),
    )
    plausibility.note(reading, row.place, claim)
    return claim


def _cases(reading: Reading, row: RankedRow, claimed: float | None) -> tuple[CaseClaim, ...]:
    names = ("baseline_torch_time", "kernel_eval_time")
    if not any(name in row.raw for name in names):
        return ()
    before, after = (reading.time_ms(row.raw.get(name), f"{row.place}: {name}", row.task) for name in names)
    return (CaseClaim("problem", before, after, claimed),)


def _source(reading: Reading, row: RankedRow, sources: Mapping[str, Sequence[str]]) -> dict[str, bytes]:
    """The row's own code, or the file that it names; notes files that differ."""
    code, name = row.raw.get("code"), str(row.raw.get("file"))
    paths = sources.get(name, ())
    if not isinstance(code, str) or not code.strip():
        path = only_source(reading, row.place, row.task, paths)
        return {PurePosixPath(path).name: reading.source(reading.content(path), path, row.task)} if path else {}
    own = reading.source(code, row.place, row.task)
    if paths and all(reading.content(path).strip() != own.strip() for path in paths):
        reading.find("source_disagrees", row.place, ", ".join(paths), row.task)
    return {f"{name if FILE.fullmatch(name) else 'kernel'}.py": own}


def _close(first: float | None, second: float | None) -> bool:
    return first is None or second is None or math.isclose(first, second, rel_tol=ROUNDING)
