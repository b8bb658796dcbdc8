"""Held-out runs of AgentKernelArena: outcomes of both sides on shapes that the agent had not seen, one line a task.

Claims have the quadrant and both speedups as written; the quadrant is also recomputed from the two outcomes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean, median
from typing import Any

from evaluator.bundles import plausibility
from evaluator.bundles.agentkernelarena.run_folder import (
    SUITE,
    is_known,
    is_second_generation,
    refuse_second_generation,
)
from evaluator.bundles.parsed import DECLARABLE, ParsedBundle, ParsedClaim, Total
from evaluator.bundles.reading import LARGEST, Reading
from evaluator.bundles.tasklists import tasks_of
from evaluator.records.reasons import Status
from evaluator.wording import counted

NAME = "AgentKernelArena held-out"
MARKS = "heldout_summary.yaml with per_task, or heldout_task_result.yaml"
SUMMARY, RESULT = "heldout_summary.yaml", "heldout_task_result.yaml"
QUADRANTS = {
    (True, True): "both_pass",
    (True, False): "opt_regression",
    (False, False): "both_fail",
    (False, True): "opt_improvement",
}
# Names in the summary, and in a task's own file.
BASELINE = ("orig_heldout_correct", "orig_heldout_pass_correctness")
CANDIDATE = ("opt_heldout_correct", "opt_pass_correctness")
ROUNDING = 1e-3  # of speedups that the benchmark had rounded
SPEEDS = {"heldout_speedup_stats": "heldout_speedup", "original_run_speedup_stats": "original_run_speedup"}
SPEEDUP = ("heldout_speedup", "speedup_ratio")
CLAIMED = (*BASELINE, *CANDIDATE, *SPEEDUP, "generalization_status", "original_run_speedup", "speedup_delta", "error")


def recognises(reading: Reading) -> bool:
    return any(reading.named(SUMMARY, RESULT))


def translate(reading: Reading) -> ParsedBundle | None:
    if is_second_generation(reading) or any(
        "runtime_identity" in reading.mapping(path) for path in reading.named(RESULT)
    ):
        refuse_second_generation(reading)
        return None
    claims = dict[str, ParsedClaim]()
    for place, raw in _rows(reading):
        claim = _claim(reading, place, raw)
        if claim.task in claims and claims[claim.task].claimed.get("generalization_status") != claim.claimed.get(
            "generalization_status"
        ):
            reading.find("duplicate_task", place, claim.task, claim.task)
        claims.setdefault(claim.task, claim)
    if not claims:
        reading.problem(NAME, "no task", "per_task with at least one row")
    reading.find("matched_by_name", NAME, "state the benchmark's commit")
    reading.find("one_outcome", NAME, counted(len(claims), "task"))
    declared = reading.declared({})
    return ParsedBundle(
        format=NAME,
        generation="v1",
        digest=reading.digest,
        suite=SUITE,
        suite_tasks=tuple(tasks_of(SUITE)),
        declared=declared,
        asked=tuple(key for key in DECLARABLE if key not in {*declared, "level", "golden_machine", "precision"}),
        claims=tuple(claims.values()),
        totals=_totals(reading, list(claims.values())),
        findings=(),
    )


def _rows(reading: Reading) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path in reading.named(SUMMARY):
        listed = reading.mapping(path).get("per_task")
        if not isinstance(listed, list):
            reading.problem(f"{path}: per_task", listed, "a list of tasks")
            continue
        for index, raw in enumerate(listed):
            if isinstance(raw, dict) and isinstance(raw.get("task_name"), str):
                yield f"{path}: per_task.{index}", raw
            else:
                reading.problem(f"{path}: per_task.{index}", raw, "a mapping with task_name")
    for path in reading.named(RESULT):
        raw = reading.mapping(path)
        if isinstance(raw.get("task_name"), str):
            yield path, raw
        else:
            reading.problem(path, raw.get("task_name"), "task_name")


def _claim(reading: Reading, place: str, raw: Mapping[str, Any]) -> ParsedClaim:
    task = raw["task_name"]
    if not is_known(task):
        reading.find("unknown_task", place, task, task)
    status, quadrant = _outcome(raw)
    claimed_quadrant = raw.get("generalization_status")
    if raw.get("error") and claimed_quadrant == "both_fail":
        reading.find("error_as_failure", place, str(raw["error"]), task)
    elif claimed_quadrant != quadrant:
        reading.find("quadrant_disagrees", place, f"claimed {claimed_quadrant}, of the outcomes {quadrant}", task)
    _compare_delta(reading, place, task, raw)
    speedup = next((raw[name] for name in SPEEDUP if raw.get(name) is not None), None)
    claim = ParsedClaim(
        task=task,
        is_known=is_known(task),
        attempt="",
        status=status,
        reason="check_failed" if status is Status.WRONG_OUTPUT else None,
        message=reading.text(raw.get("error"), f"{place}: error", task),
        claimed=reading.claimed(raw, CLAIMED) | {"quadrant": quadrant},
        claimed_speedup=reading.number(speedup, f"{place}: speedup", task),
        recomputed_speedup=None,
        cases=(),
        files={},
    )
    plausibility.note(reading, place, claim)
    return claim


def _compare_delta(reading: Reading, place: str, task: str, raw: Mapping[str, Any]) -> None:
    names = ("speedup_delta", "heldout_speedup", "original_run_speedup")
    delta, unseen, seen = (reading.number(raw.get(name), f"{place}: {name}", task) for name in names)
    if delta is not None and unseen is not None and seen is not None and abs(delta - (unseen - seen)) > ROUNDING:
        reading.find("delta_disagrees", place, f"claimed {delta:g}, of the two speeds {unseen - seen:g}", task)


def _outcome(raw: Mapping[str, Any]) -> tuple[Status, str]:
    """The status and quadrant of a row. A row with an error is not judged, since its outcome is unknown."""
    sides = [next((raw[name] for name in names if name in raw), None) for names in (BASELINE, CANDIDATE)]
    if raw.get("error") or not all(isinstance(side, bool) for side in sides):
        return Status.NOT_JUDGED, "evaluation_error"
    return (Status.PASSED if sides[1] else Status.WRONG_OUTPUT), QUADRANTS[bool(sides[0]), bool(sides[1])]


def _totals(reading: Reading, claims: list[ParsedClaim]) -> tuple[Total, ...]:
    own: dict[str, float | None] = {"total_tasks": len(claims)}
    own |= {name: sum(claim.claimed["quadrant"] == name for claim in claims) for name in QUADRANTS.values()}
    with_baseline = int(own["both_pass"] or 0) + int(own["opt_regression"] or 0)
    own["rate_pct"] = 100 * int(own["both_pass"] or 0) / with_baseline if with_baseline else None
    found = []
    for path in reading.named(SUMMARY):
        raw = reading.mapping(path)
        fields = {**_inner(raw, "quadrant_counts"), **_inner(raw, "conditional_correctness"), **raw}
        claimed = reading.claimed(fields, tuple(own))
        for name, value in claimed.items():
            found.append(Total(name, value, own[name]))
            if isinstance(value, int | float) and abs(value - (own[name] or 0)) > 0.05:
                reading.find("total_disagrees", path, f"{name}: claimed {value:g}, of the rows {own[name]}")
        found += _speed_totals(reading, path, raw, claims)
        if "speedup_mean_delta" in _inner(raw, "generalization_gap"):
            reading.find("gap_is_absolute", path, "generalization_gap.speedup_mean_delta")
    return tuple(found)


def _speed_totals(reading: Reading, path: str, raw: Mapping[str, Any], claims: list[ParsedClaim]) -> Iterator[Total]:
    """Count, mean and median of both speedups, over all tasks or over both_pass only, whichever fits the count."""
    for name, field in SPEEDS.items():
        both = _speeds([claim for claim in claims if claim.claimed["quadrant"] == "both_pass"], field)
        every = _speeds(claims, field)
        speeds = every if _inner(raw, name).get("count") == len(every) else both
        own = {"count": float(len(speeds))}
        own |= {"mean": fmean(speeds), "median": median(speeds)} if speeds else {}
        for statistic, value in reading.claimed(_inner(raw, name), tuple(own)).items():
            yield Total(f"{name}.{statistic}", value, own[statistic])
            if isinstance(value, int | float) and abs(value - own[statistic]) > ROUNDING:
                detail = f"{name}.{statistic}: claimed {value:g}, of the rows {own[statistic]:g}"
                reading.find("total_disagrees", path, detail)


def _speeds(claims: list[ParsedClaim], field: str) -> list[float]:
    rows = [claim.claimed.get(field) for claim in claims]
    return [
        float(row) for row in rows if isinstance(row, int | float) and not isinstance(row, bool) and 0 < row < LARGEST
    ]


def _inner(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = raw.get(name)
    return value if isinstance(value, dict) else {}
