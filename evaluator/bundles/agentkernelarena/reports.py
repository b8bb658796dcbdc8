"""The reports of an AgentKernelArena run: tasks that only a report names, and totals to compare with the results."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from statistics import fmean, median
from typing import Any

from evaluator.bundles.parsed import ParsedClaim, Total
from evaluator.bundles.reading import LARGEST, Reading
from evaluator.records.reasons import Status
from evaluator.wording import counted

CSV_NAME, JSON_NAME, QUEUE = "overall_summary.csv", "task_type_breakdown.json", ".parallel"
HEADER = ["Task Name", "Task Type", "Score", "Speedup", "Optimization_summary"]
LISTED_ROWS = 2_000  # the suite has 196 tasks
FOUR_DECIMALS = 5.1e-5
QUANTILES = ("p25_speedup", "p75_speedup", "p90_speedup", "median_speedup")


@dataclass(frozen=True, slots=True)
class ReportedTask:
    """A task that a report names; `code` is the finding to note if no workspace holds it."""

    place: str
    task: str
    kind: str  # its task type
    code: str
    claimed: Mapping[str, str]  # score and speedup, as written


def reported_tasks(reading: Reading) -> tuple[ReportedTask, ...]:
    """The tasks that the summaries and the queue of a parallel run name."""
    return (*_summary_rows(reading), *_queue_entries(reading))


def claims_of_reports(
    reading: Reading, rows: Sequence[ReportedTask], claims: Sequence[ParsedClaim], is_known: Callable[[str], bool]
) -> list[ParsedClaim]:
    """A claim with status not_judged for each task that a report names and no workspace holds."""
    by_task, found = {claim.task: claim for claim in claims}, list[ParsedClaim]()
    for row in rows:
        if row.task in by_task:
            _compare_row(reading, row, by_task[row.task])
            continue
        reading.find(row.code, row.place, row.task, row.task)
        if not is_known(row.task):
            reading.find("unknown_task", row.place, row.task, row.task)
        message, speedup = "Only a report names this task.", _float(row.claimed.get("speedup"))
        known = is_known(row.task)
        claim = ParsedClaim(row.task, known, "", Status.NOT_JUDGED, None, message, row.claimed, speedup, None, (), {})
        by_task[row.task] = claim
        found.append(claim)
    return found


def totals(reading: Reading, rows: Sequence[ReportedTask], claims: Sequence[ParsedClaim]) -> tuple[Total, ...]:
    """The claimed totals (`overall` of the breakdown) with the same totals recomputed from the results."""
    paths = list(reading.named(JSON_NAME))
    report = reading.mapping(paths[0]) if paths else {}
    overall = report.get("overall")
    if not isinstance(overall, dict):
        return ()
    own = _recomputed([claim for claim in claims if "pass_compilation" in claim.claimed])
    raw = reading.claimed(overall, tuple(own))
    found = tuple(Total(name, raw.get(name), own[name]) for name in own if name in raw)
    for total in found:
        if isinstance(total.claimed, int | float) and not _same(float(total.claimed), total.recomputed):
            detail = f"{total.name}: claimed {total.claimed:g}, of the results in the bundle {total.recomputed}"
            reading.find("total_disagrees", paths[0], detail)
    _note_average(reading, paths[0], overall)
    _note_quantiles(reading, paths[0], report, rows)
    return found


def _recomputed(judged: Sequence[ParsedClaim]) -> Mapping[str, float | None]:
    """Totals by the benchmark's rules: speedups are averaged over the tasks that have one, rates are in percent."""
    speedups = [claim.recomputed_speedup for claim in judged if claim.recomputed_speedup]
    scores = [score for claim in judged if (score := _number(claim.claimed.get("score"))) is not None]
    compiled = sum(claim.claimed["pass_compilation"] is True for claim in judged)
    correct = sum(claim.claimed.get("pass_correctness") is True for claim in judged)
    faster, count = sum(speedup > 1 for speedup in speedups), len(judged)
    return {
        "total_tasks": count,
        "total_score": math.fsum(scores) if scores else None,
        "average_score": math.fsum(scores) / count if scores else None,
        "compilation_pass_count": compiled,
        "compilation_pass_rate": 100 * compiled / count if count else None,
        "correctness_pass_count": correct,
        "correctness_pass_rate": 100 * correct / count if count else None,
        "speedup_gt_1_count": faster,
        "speedup_gt_1_rate": 100 * faster / count if count else None,
        "valid_speedup_count": len(speedups),
        "average_speedup": fmean(speedups) if speedups else None,
        "median_speedup": median(speedups) if speedups else None,
    }


def _note_average(reading: Reading, path: str, overall: Mapping[str, Any]) -> None:
    """Note an average that leaves out failures, which the paper counts as a speedup of 0."""
    names = ("valid_speedup_count", "total_tasks", "average_speedup")
    valid, tasks, average = (_number(overall.get(name)) for name in names)
    if valid is None or not tasks or average is None or valid >= tasks:
        return
    detail = f"{average:g} over {valid:g} of {tasks:g} tasks; with the others as 0 it is {average * valid / tasks:g}"
    reading.find("average_of_valid", path, detail)


def _note_quantiles(reading: Reading, path: str, report: Mapping[str, Any], rows: Sequence[ReportedTask]) -> None:
    """Note quantiles outside the range of the data: the benchmark's code extrapolates."""
    claimed = [(row.kind, speedup) for row in rows if (speedup := _float(row.claimed.get("speedup")))]
    kinds = report.get("task_types")
    parts = {"overall": report.get("overall"), **(kinds if isinstance(kinds, dict) else {})}
    for name, part in parts.items():
        speedups = [speedup for kind, speedup in claimed if name in ("overall", kind)]
        for quantile in QUANTILES if isinstance(part, dict) and speedups else ():
            value = _number(part[quantile]) if quantile in part else None
            if value is not None and not min(speedups) - FOUR_DECIMALS <= value <= max(speedups) + FOUR_DECIMALS:
                detail = f"{name}: {quantile} {value:g}, of {min(speedups):g} to {max(speedups):g}"
                reading.find("quantile_beyond_data", path, detail)


def _compare_row(reading: Reading, row: ReportedTask, claim: ParsedClaim) -> None:
    for name, field in (("score", "score"), ("speedup", "speedup_ratio")):
        reported, result = _float(row.claimed.get(name)), _number(claim.claimed.get(field))
        if reported is not None and result is not None and abs(reported - result) > FOUR_DECIMALS:
            reading.find("report_disagrees", row.place, f"{name} {reported:g}, by its result {result:g}", row.task)


def _summary_rows(reading: Reading) -> Iterator[ReportedTask]:
    for path in reading.named(CSV_NAME):
        text = reading.content(path).decode("utf-8-sig", "replace")
        try:
            rows = list(islice(csv.reader(io.StringIO(text)), LISTED_ROWS))
        except csv.Error as error:
            rows = [[str(error)]]
        if not rows or rows[0] != HEADER:
            reading.problem(path, rows[:1], ",".join(HEADER))
            continue
        for number, row in enumerate(rows[1:], start=2):
            if len(row) == len(HEADER):
                claimed = {"score": row[2], "speedup": row[3]}
                yield ReportedTask(f"{path}:{number}", row[0], row[1], "listed_only", claimed)
            else:
                reading.problem(f"{path}:{number}", counted(len(row), "column"), f"{len(HEADER)}")


def _queue_entries(reading: Reading) -> Iterator[ReportedTask]:
    """Tasks in a parallel run's queue, the only trace of a task that never finished."""
    for path in sorted(reading.files):
        parts = PurePosixPath(path).parts
        if QUEUE in parts[:-2] and path.endswith(".yaml"):
            task = reading.mapping(path).get("task_name")
            code = "listed_only" if parts[-2] == "done" else "unfinished_task"
            if isinstance(task, str):
                yield ReportedTask(path, task, "", code, {})


def _float(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if abs(value) < LARGEST else None


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST
    return float(value) if is_number else None  # type: ignore[arg-type]


def _same(claimed: float, own: object) -> bool:
    return isinstance(own, int | float) and math.isclose(claimed, own, rel_tol=1e-6)
