"""Tasks as the database has them, and their contracts from tasks/."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, Max, OuterRef, Q

from evaluator.errors import TaskError, UsageError
from evaluator.records.record import PROTOCOL
from evaluator.tasks.measured import CaseFinding, Findings, case_findings, current, measured_file, read_measured
from evaluator.tasks.spec import TaskSpec
from evaluator.tasks.workspace import visible_files
from leaderboard.queries.boards import operator_of
from runs.candidates import spec_of
from runs.errors import RunError
from runs.models import Result, Task
from runs.querysets import ResultQuerySet, is_correct, of_draft_from_elsewhere, withheld


class TaskListRow(NamedTuple):
    id: int
    path: str
    category: str
    name: str
    digest: str
    is_current: bool
    source: str
    description: str
    editable: list[str]
    files: dict[str, str]
    cases: list[dict[str, Any]]
    provenance: dict[str, str]
    is_plain: bool


class FoundTask(NamedTuple):
    """A version of a task, with the digests of all versions and the suites that contain it."""

    row: TaskListRow
    versions: list[str]
    suites: list[tuple[str, int]]


class ListedTask(NamedTuple):
    """The current version of a task, with counts of the results that may rank and of the correct ones.

    `best` has the log speedup of the fastest of them by device class (slug and title), under the current protocol.
    """

    path: str
    category: str
    name: str
    digest: str
    cases: int
    description: str
    source: str
    operator: str  # type of operator from the task's provenance, or empty
    results: int
    correct: int
    best: dict[tuple[str, str], float]


class TaskCounts(NamedTuple):
    results: int
    correct: int
    best: dict[tuple[str, str], float]


class TaskResultRow(NamedTuple):
    id: int
    run_id: int
    repeat: int
    suite: str
    version: int
    device: str
    configuration: str
    agent: str
    model: str | None
    role: str
    state: str
    status: str
    message: str
    audit: str
    is_published: bool


def listed() -> list[ListedTask]:
    rows = Task.objects.filter(is_current=True).order_by("category", "path")
    counts, none = _counts_by_task(), TaskCounts(0, 0, {})
    fields = ("id", "path", "category", "name", "digest", "cases", "description", "source", "provenance")
    return [
        ListedTask(path, of, name, digest, len(cases), text, source, operator_of(about), *counts.get(task, none))
        for task, path, of, name, digest, cases, text, source, about in rows.values_list(*fields)
    ]


def task(path: str, digest: str = "") -> FoundTask | None:
    """The version whose digest starts with `digest`, by default the current one, else the newest; None if missing."""
    versions = Task.objects.filter(path=path).order_by("-is_current", "-id", "suites__name", "-suites__version")
    rows = versions.values_list(*TaskListRow._fields, "suites__name", "suites__version")  # one row for each suite
    found = [(TaskListRow(*row), suite, version) for *row, suite, version in rows]
    shown = next((row for row, *_ in found if row.digest.startswith(digest)), None)
    if shown is None:
        return None
    suites = [(suite, version) for row, suite, version in found if row.id == shown.id and suite]
    return FoundTask(shown, list(dict.fromkeys(row.digest for row, *_ in found)), suites)


def contract_of(path: str, digest: str) -> TaskSpec | None:
    """The contract in tasks/; None if it has another digest."""
    try:
        return spec_of(Task(path=path, digest=digest))
    except (RunError, TaskError, UsageError):
        return None


def findings_of(spec: TaskSpec) -> dict[str, list[CaseFinding]]:
    """What is known of the task's full cases on GPUs, by device class, from tasks/measured.json."""
    path = measured_file()
    entries = current(_measured(path, path.stat().st_mtime_ns) if path.exists() else {}, spec)
    return {device_class: case_findings(own, spec, device_class) for device_class, own in entries.items()}


def agent_files(spec: TaskSpec) -> dict[str, str]:
    """The files that an agent gets, name → text, sorted by name."""
    return {path: data.decode("utf-8", "replace") for path, data in sorted(visible_files(spec).items())}


def results_of(task_id: int, limit: int) -> list[TaskResultRow]:
    """Public results first, then the newest attempts of drafts; without drafts from elsewhere."""
    rows = (
        Result.objects.filter(task=task_id, attempts__is_latest=True)
        .exclude(Q(run__state="withdrawn") | of_draft_from_elsewhere(run="run__"))
        .annotate(
            is_published=Exists(Result.objects.public().filter(pk=OuterRef("pk"))),
            is_withheld=ExpressionWrapper(withheld(attempt="attempts__", run="run__"), output_field=BooleanField()),
        )
        .order_by("-is_published", "run__device_class__slug", "run__configuration__slug", "run__repeat", "-id")
    )
    fields = (
        *("id", "run_id", "run__repeat", "run__suite__name", "run__suite__version", "run__device_class__slug"),
        *("run__configuration__slug", "run__configuration__agent__name", "run__configuration__model__name"),
        *("run__configuration__role", "run__state", "audit", "is_published", "published_attempt__status"),
        *("published_attempt__message", "attempts__status", "attempts__message", "is_withheld"),
    )
    return [_task_result(row) for row in rows.values_list(*fields)[:limit]]


@lru_cache(maxsize=1)
def _measured(path: Path, changed_ns: int) -> Findings:
    """Read the file once for each of its versions: it has a line for every task."""
    return read_measured(path)


def _counts_by_task() -> dict[int, TaskCounts]:
    """Counts by task. Grouping by suite lets the database scan by run: 115 instead of 282 ms for 1 M results."""
    counted: ResultQuerySet[Result] = Result.objects.may_rank().order_by()
    rows = counted.values_list("run__suite", "run__device_class__slug", "run__device_class__title", "task").annotate(
        results=Count("id"),
        correct=Count("id", filter=is_correct()),
        best=Max("published_attempt__cautious_log_speedup", filter=is_correct() & Q(run__protocol=PROTOCOL)),
    )
    found: dict[int, TaskCounts] = {}
    for _, slug, title, task, results, correct, log in rows:
        before = found.get(task, TaskCounts(0, 0, {}))
        best = before.best
        if log is not None:
            best = best | {(slug, title): max(log, best.get((slug, title), log))}
        found[task] = TaskCounts(before.results + results, before.correct + correct, best)
    return found


def _task_result(row: tuple[Any, ...]) -> TaskResultRow:
    """The published attempt, else the latest one."""
    (*head, audit, is_published, published_status, published_message, status, message, is_withheld) = row
    newest = ["queued", ""] if is_withheld else [status, message]
    shown_attempt = [published_status, published_message] if is_published else newest
    return TaskResultRow._make([*head, *shown_attempt, audit, is_published])
