"""The reports of an AgentKernelArena run: tasks that only they name, and totals beside those of the results."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from statistics import fmean
from typing import Any

from evaluator.bundles.reading import Reading
from evaluator.bundles.submission import Claim, Total
from evaluator.reasons import Status

CSV_NAME, JSON_NAME = "overall_summary.csv", "task_type_breakdown.json"
HEADER = ["Task Name", "Task Type", "Score", "Speedup", "Optimization_summary"]
LISTED_ROWS = 2_000  # of which the suite has 196


def listed_only(reading: Reading, claims: Sequence[Claim], is_known: Callable[[str], bool]) -> list[Claim]:
    """A claim, not judged, for each task that a report lists and no workspace holds."""
    known, found = {claim.task for claim in claims}, list[Claim]()
    for place, task, row in _listed(reading):
        if task in known:
            continue
        known.add(task)
        reading.find("listed_only", place, task, task)
        if not is_known(task):
            reading.find("unknown_task", place, task, task)
        claimed = {"score": row.get("Score"), "speedup": row.get("Speedup")}
        message = "Only a report names it."
        found.append(
            Claim(task, is_known(task), "", Status.NOT_JUDGED, None, message, claimed, _float(row), None, (), {})
        )
    return found


def totals(reading: Reading, claims: Sequence[Claim]) -> tuple[Total, ...]:
    """`overall` of the breakdown, and the same of the results that are here."""
    paths = list(reading.named(JSON_NAME))
    overall = reading.mapping(paths[0]).get("overall") if paths else None
    if not isinstance(overall, dict):
        return ()
    own = _own([claim for claim in claims if "pass_compilation" in claim.claimed])
    raw = reading.claimed(overall, tuple(own))
    found = tuple(Total(name, raw.get(name), own[name]) for name in own if name in raw)
    for total in found:
        if isinstance(total.claimed, int | float) and not _same(float(total.claimed), total.recomputed):
            detail = f"{total.name}: claimed {total.claimed:g}, of the results in the bundle {total.recomputed}"
            reading.find("total_disagrees", paths[0], detail)
    return found


def _own(judged: Sequence[Claim]) -> Mapping[str, float | None]:
    """By the source's rules: the average speedup is over tasks that have one."""
    speedups = [claim.recomputed_speedup for claim in judged if claim.recomputed_speedup]
    return {
        "total_tasks": len(judged),
        "compilation_pass_count": sum(claim.claimed["pass_compilation"] is True for claim in judged),
        "correctness_pass_count": sum(claim.claimed.get("pass_correctness") is True for claim in judged),
        "average_speedup": fmean(speedups) if speedups else None,
    }


def _listed(reading: Reading) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path in reading.named(CSV_NAME):
        text = reading.files[path].decode("utf-8-sig", "replace")
        try:
            rows = list(islice(csv.reader(io.StringIO(text)), LISTED_ROWS))
        except csv.Error as error:
            rows = [[str(error)]]
        if not rows or rows[0] != HEADER:
            reading.problem(path, rows[:1], ",".join(HEADER))
            continue
        for number, row in enumerate(rows[1:], start=2):
            if len(row) == len(HEADER):
                yield f"{path}:{number}", row[0], dict(zip(HEADER, row, strict=True))
            else:
                reading.problem(f"{path}:{number}", f"{len(row)} columns", f"{len(HEADER)}")


def _float(row: Mapping[str, Any]) -> float | None:
    try:
        value = float(str(row.get("Speedup")))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _same(claimed: float, own: object) -> bool:
    return isinstance(own, int | float) and math.isclose(claimed, own, rel_tol=1e-6)
