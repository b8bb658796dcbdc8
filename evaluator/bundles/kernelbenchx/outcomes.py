"""What the fields of a KernelBench-X task mean, the same for a run and for a round of the corpus."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import groupby
from typing import Any

from evaluator.bundles.kernelbenchx.golden import SUITE
from evaluator.bundles.parsed import ParsedClaim
from evaluator.bundles.reading import Reading
from evaluator.bundles.tasklists import tasks_of
from evaluator.records.reasons import Status
from evaluator.wording import counted

CLAIMED = ("call_ok", "exe_ok", "perf_ok", "dtype", "runtime_ms", "gbs", "tflops", "speedup", "maintainability")
NOT_GENERATED, KILLED = "Generation failed", "TIMEOUT: killed"  # in the benchmark's own words
DTYPES = {"_fp16": "float16", "_bf16": "bfloat16", "_w8a8": "int8", "_int8": "int8", "_w4a16": "int4"}


def is_known(reading: Reading, place: str, task: str) -> bool:
    """Whether the suite has the task under exactly this path; notes one that has another category or is unknown."""
    known = tasks_of(SUITE)
    if task in known:
        return True
    other = next((path for path in known if _name(path) == _name(task)), None)
    code, detail = ("phantom_task", f"{task}, which is {other}") if other else ("unknown_task", task)
    reading.find(code, place, detail, task)
    return False


def joined(tasks: Collection[str]) -> dict[str, str]:
    """The suite's path of each task that lies in another folder there, where both sides have its name once."""
    known, given = tasks_of(SUITE), set(tasks)
    here, there = ({name: [*own] for name, own in groupby(sorted(paths, key=_name), _name)} for paths in (given, known))
    pairs = ((here[name], there[name]) for name in here.keys() & there.keys())
    return {own[0]: paths[0] for own, paths in pairs if len(own) == len(paths) == 1 and own != paths}


def _name(task: str) -> str:
    return task.rpartition("/")[2]


def status(
    reading: Reading, place: str, task: str, raw: Mapping[str, Any], *, is_timed: bool, error: str | None
) -> tuple[Status, str | None]:
    """Status and reason of the three stages; notes stages that contradict each other, and a right kernel untimed.

    `error` is the text that people are shown. By it and by the row's own the benchmark says what was no fault of a
    build or of a clock.
    """
    texts = [text for text in (error, row_error(raw)) if isinstance(text, str)]
    if raw.get("call_ok") is not True:
        if raw.get("perf_ok") is True:
            reading.find("pass_without_call", place, task, task)
        if any(text.startswith(NOT_GENERATED) for text in texts):
            return Status.NOT_PRODUCED, "not_written"
        return Status.BUILD_FAILED, "compiler_error"
    if raw.get("exe_ok") is not True:
        return Status.WRONG_OUTPUT, "check_failed"
    if raw.get("perf_ok") is True and is_timed:
        return Status.PASSED, None
    if any(KILLED in text for text in texts):
        return Status.TIMED_OUT, "total_time"
    reading.find("correct_without_time", place, task, task)
    return Status.IMPLAUSIBLE, "no_report"


def row_error(raw: Mapping[str, Any]) -> object:
    """What a row itself says of its failure."""
    return raw.get("error") or raw.get("stderr")


def source_of(reading: Reading, code: object, place: str, task: str) -> dict[str, bytes]:
    """The source that a row itself holds; empty without one."""
    if not isinstance(code, str) or not code.strip():
        return {}
    return {task: reading.source(code, place, task)}


def note_marks(reading: Reading, place: str, task: str, raw: Mapping[str, Any]) -> None:
    """Note the benchmark's own marks, and a dtype that cannot be the task's."""
    if raw.get("is_suspect") is True or raw.get("validity_flags"):
        reading.find("suspect_flag", place, str(raw.get("validity_flags") or "is_suspect"), task)
    stem = task.rpartition("/")[2].removesuffix(".py")
    expected = next((dtype for suffix, dtype in DTYPES.items() if stem.endswith(suffix)), None)
    if expected and raw.get("dtype") == "float32":
        reading.find("dtype_by_default", place, f"float32 for {stem}", task)


def note_quality(reading: Reading, name: str, claims: tuple[ParsedClaim, ...]) -> None:
    """Note that code quality, where it is rated, is that of candidate and test together."""
    rated = len({claim.task for claim in claims if isinstance(claim.claimed.get("maintainability"), int | float)})
    if rated:
        reading.find("quality_of_tests", name, f"maintainability of {counted(rated, 'task')}")
