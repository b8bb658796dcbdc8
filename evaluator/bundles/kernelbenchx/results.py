"""KernelBench-X runs: metrics.json, or the rows of the three stages behind it, with times for every input size.

The golden results of one machine (golden_results/MACHINE/STEM.json) are the baseline; there is no default machine. A
task's speedup is the sum of the golden times over the sum of the candidate's times, for the same input sizes.
"""

from __future__ import annotations

from typing import Any

from evaluator.bundles import plausibility
from evaluator.bundles.kernelbenchx import outcomes, totals
from evaluator.bundles.kernelbenchx import rows as kbx_rows
from evaluator.bundles.kernelbenchx.golden import SUITE, Golden, read_golden
from evaluator.bundles.parsed import DECLARABLE, ParsedBundle, ParsedClaim
from evaluator.bundles.reading import Reading
from evaluator.bundles.tasklists import tasks_of
from evaluator.records.reasons import Status

NAME = "KernelBench-X"
MARKS = "metrics.json with call_ok and exe_ok, or results_call.jsonl, results_exe.jsonl and results_eff.jsonl"
METRICS = "metrics.json"


def recognises(reading: Reading) -> bool:
    return any(_is_metrics(reading.parsed(path)) for path in reading.named(METRICS)) or kbx_rows.has_stages(reading)


def translate(reading: Reading) -> ParsedBundle:
    rows = kbx_rows.merged(reading, [path for path in reading.named(METRICS) if _is_metrics(reading.parsed(path))])
    declared = reading.declared(totals.method(reading))
    golden = read_golden(reading, declared.get("golden_machine"))
    if golden is None:
        reading.find("no_baseline", NAME, "add golden_results/MACHINE of the device that the run was made on")
    claims = tuple(_claim(reading, path, row, golden) for path, row in sorted(rows.items()))
    outcomes.note_quality(reading, NAME, claims)
    return ParsedBundle(
        format=NAME,
        generation="metrics" if any(reading.named(METRICS)) else "stages",
        digest=reading.digest,
        suite=SUITE,
        suite_tasks=tuple(tasks_of(SUITE)),
        declared=declared,
        asked=tuple(key for key in DECLARABLE if key not in {*declared, "level"}),
        claims=claims,
        totals=totals.totals(reading, claims),
        findings=(),
    )


def _is_metrics(value: Any) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    first = next(iter(value.values()))
    return isinstance(first, dict) and "call_ok" in first and "exe_ok" in first


def _claim(reading: Reading, task: str, row: kbx_rows.StageRow, golden: Golden | None) -> ParsedClaim:
    known, raw = outcomes.is_known(reading, row.place, task), row.raw
    message = kbx_rows.message(reading, row, task)
    status, reason = outcomes.status(reading, row.place, task, raw, is_timed=bool(row.performance), error=message)
    cases = kbx_rows.cases(reading, row, task, golden)
    fault = _fault(reading, row, task, golden) if status is Status.PASSED else None
    if fault:
        status, reason = Status.IMPLAUSIBLE, fault
    speedup = kbx_rows.speedup(cases) if status is Status.PASSED and golden else None
    claimed = reading.number(raw.get("speedup"), f"{row.place}: speedup", task)
    kbx_rows.compare(reading, row, task, cases, claimed, speedup)
    kbx_rows.note_throughput(reading, row, task, golden.machine if golden else None)
    outcomes.note_marks(reading, row.place, task, raw)
    claim = ParsedClaim(
        task=task,
        is_known=known,
        attempt="",
        status=status,
        reason=reason,
        message=message,
        claimed=reading.claimed(raw, outcomes.CLAIMED),
        claimed_speedup=claimed,
        recomputed_speedup=speedup,
        cases=cases,
        files=kbx_rows.source(reading, row, task),
    )
    plausibility.note(reading, row.place, claim)
    return claim


def _fault(reading: Reading, row: kbx_rows.StageRow, task: str, golden: Golden | None) -> str | None:
    """Why a correct kernel has no speedup; it must have every row that the baseline has."""
    expected = len(golden.rows(task)) if golden and golden.rows(task) else tasks_of(SUITE).get(task)
    if expected and len(row.performance) < expected:
        reading.find("dropped_sizes", row.place, f"{len(row.performance)} of {expected} rows", task)
        return "case_mismatch"
    return kbx_rows.fault(reading, row, task, golden)
