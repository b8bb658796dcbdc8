"""KernelBench-X runs: metrics.json, or the rows of the three stages behind it, with times for every input size.

The golden results of one machine (golden_results/MACHINE/STEM.json) are the baseline; there is no default machine. A
task's speedup is the sum of the golden times over the sum of the candidate's times, for the same input sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluator.bundles.kernelbenchx import rows as kbx_rows
from evaluator.bundles.kernelbenchx import totals
from evaluator.bundles.kernelbenchx.golden import SUITE, Golden, read_golden
from evaluator.bundles.parsed import DECLARABLE, ParsedBundle, ParsedClaim
from evaluator.bundles.reading import Reading
from evaluator.bundles.tasklists import tasks_of
from evaluator.records.reasons import Status
from evaluator.wording import counted

NAME = "KernelBench-X"
MARKS = "metrics.json with call_ok and exe_ok, or results_call.jsonl, results_exe.jsonl and results_eff.jsonl"
METRICS = "metrics.json"
CLAIMED = ("call_ok", "exe_ok", "perf_ok", "dtype", "runtime_ms", "gbs", "tflops", "speedup", "maintainability")
DTYPES = {"_fp16": "float16", "_bf16": "bfloat16", "_w8a8": "int8", "_int8": "int8", "_w4a16": "int4"}
EXCESSIVE = 10.0


def recognises(reading: Reading) -> bool:
    return any(_is_metrics(reading.parsed(path)) for path in reading.named(METRICS)) or kbx_rows.has_stages(reading)


def translate(reading: Reading) -> ParsedBundle:
    rows = kbx_rows.merged(reading, [path for path in reading.named(METRICS) if _is_metrics(reading.parsed(path))])
    declared = reading.declared(totals.method(reading))
    golden = read_golden(reading, declared.get("golden_machine"))
    if golden is None:
        reading.find("no_baseline", NAME, "add golden_results/MACHINE of the device that the run was made on")
    claims = tuple(_claim(reading, path, row, golden) for path, row in sorted(rows.items()))
    _note_quality(reading, claims)
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
    known, raw = is_known(reading, row.place, task), row.raw
    status, reason = _status(reading, row.place, task, raw)
    cases = kbx_rows.cases(reading, row, task, golden)
    fault = _fault(reading, row, task, golden) if status is Status.PASSED else None
    if fault:
        status, reason = Status.IMPLAUSIBLE, fault
    speedup = kbx_rows.speedup(cases) if status is Status.PASSED and golden else None
    claimed = reading.number(raw.get("speedup"), f"{row.place}: speedup", task)
    kbx_rows.compare(reading, row, task, cases, claimed, speedup)
    kbx_rows.note_throughput(reading, row, task, golden.machine if golden else None)
    _note(reading, row.place, task, raw, claimed)
    code = raw.get("code")
    files = {task: reading.source(code.encode(), row.place, task)} if isinstance(code, str) and code.strip() else {}
    if not files:
        reading.find("no_sources", row.place, task, task)
    return ParsedClaim(
        task=task,
        is_known=known,
        attempt="",
        status=status,
        reason=reason,
        message=reading.text(raw.get("error") or raw.get("stderr"), row.place, task),
        claimed=reading.claimed(raw, CLAIMED),
        claimed_speedup=claimed,
        recomputed_speedup=speedup,
        cases=cases,
        files=files,
    )


def is_known(reading: Reading, place: str, task: str) -> bool:
    """Whether the suite has the task under exactly this path; notes one that has another category or is unknown."""
    known = tasks_of(SUITE)
    if task in known:
        return True
    stem = task.rpartition("/")[2]
    other = next((path for path in known if path.endswith(f"/{stem}")), None)
    code, detail = ("phantom_task", f"{task}, which is {other}") if other else ("unknown_task", task)
    reading.find(code, place, detail, task)
    return False


def _status(reading: Reading, place: str, task: str, raw: Mapping[str, Any]) -> tuple[Status, str | None]:
    if raw.get("call_ok") is not True:
        if raw.get("perf_ok") is True:
            reading.find("pass_without_call", place, task, task)
        return Status.BUILD_FAILED, "compiler_error"
    if raw.get("exe_ok") is not True:
        return Status.WRONG_OUTPUT, "check_failed"
    if raw.get("perf_ok") is True:
        return Status.PASSED, None
    reading.find("correct_without_time", place, task, task)
    return Status.IMPLAUSIBLE, "no_report"


def _fault(reading: Reading, row: kbx_rows.StageRow, task: str, golden: Golden | None) -> str | None:
    """Why a correct kernel has no speedup; it must have every row that the baseline has."""
    expected = len(golden.rows(task)) if golden and golden.rows(task) else tasks_of(SUITE).get(task)
    if expected and len(row.performance) < expected:
        reading.find("dropped_sizes", row.place, f"{len(row.performance)} of {expected} rows", task)
        return "case_mismatch"
    return kbx_rows.fault(reading, row, task, golden)


def _note_quality(reading: Reading, claims: tuple[ParsedClaim, ...]) -> None:
    rated = sum(isinstance(claim.claimed.get("maintainability"), int | float) for claim in claims)
    if rated:
        reading.find("quality_of_tests", NAME, f"maintainability of {counted(rated, 'task')}")


def _note(reading: Reading, place: str, task: str, raw: Mapping[str, Any], claimed: float | None) -> None:
    if claimed is not None and claimed > EXCESSIVE:
        reading.find("excessive_speedup", place, f"{claimed:g}", task)
    if raw.get("is_suspect") is True or raw.get("validity_flags"):
        reading.find("suspect_flag", place, str(raw.get("validity_flags") or "is_suspect"), task)
    stem = task.rpartition("/")[2].removesuffix(".py")
    expected = next((dtype for suffix, dtype in DTYPES.items() if stem.endswith(suffix)), None)
    if expected and raw.get("dtype") == "float32":
        reading.find("dtype_by_default", place, f"float32 for {stem}", task)
