"""Runs, their progress and their audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import BooleanField, Case, Count, ExpressionWrapper, F, Max, Min, Q, QuerySet, Value, When

from leaderboard.changelog import protocol_age
from runs.models import Attempt, AuditEntry, Result, Run
from runs.querysets import is_correct, is_secret, of_draft_from_elsewhere, withheld


class RunListRow(NamedTuple):
    """A run with the progress of its latest attempts: `tasks` = queued + running + ended, if all have one.

    `cancelled` ones are among those that ended.
    Between `evaluated_from` and `evaluated_until` are the first start and the last end of those, so far.
    `passed` counts the public results once the run is public, so that it agrees with the leaderboard.
    """

    id: int
    suite: str
    version: int
    suite_is_current: bool
    device: str
    device_title: str
    is_functional: bool
    configuration: str
    agent: str
    agent_slug: str
    agent_kind: str
    model: str | None
    model_identifier: str | None
    role: str
    settings: dict[str, Any]
    repeat: int
    protocol: str
    state: str
    trust: str
    reproduced_tasks: int | None
    verified_tasks: int | None
    submission: int | None  # that brought it
    note: str
    round: str | None  # of unseen cases that it is evaluated on
    paused_at: datetime | None
    created_at: datetime
    published_at: datetime | None
    evaluated_from: datetime | None
    evaluated_until: datetime | None
    tasks: int
    queued: int
    running: int
    ended: int
    passed: int
    cancelled: int
    verifies: int | None  # the imported run whose candidates it evaluates again


class RunResultRow(NamedTuple):
    """A result with its latest and its published attempt. A withheld attempt looks as if it were queued."""

    id: int
    task: str
    category: str
    audit: str
    published_number: int | None
    published_status: str | None
    number: int | None
    status: str | None
    gate: str | None
    message: str | None
    flags: list[str] | None
    queued_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    host: str | None
    requeues: int | None


class RunAuditRow(NamedTuple):
    at: datetime
    actor: str
    action: str
    task: str | None
    result_id: int | None
    from_number: int | None
    to_number: int | None
    reason: str
    undoes: str | None  # the action that it reverts
    session_before: str  # of a rerun: the session without a candidate that a new one replaces


class Choices(NamedTuple):
    """Values that runs can be filtered by."""

    suites: list[str]
    devices: list[str]
    configurations: list[str]
    protocols: list[str]


_FIELDS = (
    *("id", "suite__name", "suite__version", "suite__is_current", "device_class__slug", "device_class__title"),
    *("device_class__is_functional", "configuration__slug", "configuration__agent__name", "configuration__agent__slug"),
    *("configuration__agent__kind", "configuration__model__name", "configuration__model__identifier"),
    *("configuration__role", "configuration__settings"),
    *("repeat", "protocol", "state", "trust", "reproduced_tasks", "verified_tasks", "submission", "note"),
    *("round__slug", "paused_at", "created_at", "published_at", "evaluated_from", "evaluated_until"),
    *("tasks", "queued", "running", "ended", "passed", "cancelled", "verifies"),
)


def newest(
    limit: int,
    offset: int = 0,
    *,
    suite: str = "",
    device: str = "",
    configuration: str = "",
    protocol: str = "",
    agent: str = "",
    model: str = "",
    state: str = "",
    drafts_from_elsewhere: bool = False,
) -> list[RunListRow]:
    """Runs, newest first, filtered by every argument that is not empty."""
    filters = {
        "suite__name": suite,
        "device_class__slug": device,
        "configuration__slug": configuration,
        "protocol": protocol,
        "configuration__agent__slug": agent,
        "configuration__model__slug": model,
        "state": state,
    }
    runs = Run.objects.filter(**{field: value for field, value in filters.items() if value})
    if not drafts_from_elsewhere:
        runs = runs.exclude(of_draft_from_elsewhere())
    shown = runs.order_by("-created_at", "-id").values("pk")[offset : offset + limit]  # only these are counted
    counted = _with_counts(Run.objects.filter(pk__in=shown)).order_by("-created_at", "-id")
    return [RunListRow(*row) for row in counted.values_list(*_FIELDS)]


def run(run_id: int) -> RunListRow | None:
    row = _with_counts(Run.objects.filter(pk=run_id)).values_list(*_FIELDS).first()
    return RunListRow(*row) if row else None


def results_of(run_id: int) -> list[RunResultRow]:
    rows = (
        Result.objects.filter(run=run_id)
        .filter(Q(attempts__is_latest=True) | Q(attempts__isnull=True))
        .order_by("task__category", "task__path")
        .annotate(
            is_withheld=ExpressionWrapper(withheld(attempt="attempts__", run="run__"), output_field=BooleanField())
        )
    )
    latest = ("number", "status", "gate", "message", "flags", "queued_at", "started_at", "ended_at", "host__name")
    return [
        _as_queued(RunResultRow(*row)) if is_withheld else RunResultRow(*row)
        for *row, is_withheld in rows.values_list(
            *("id", "task__path", "task__category", "audit", "published_attempt__number", "published_attempt__status"),
            *(f"attempts__{name}" for name in latest),
            *("attempts__requeues", "is_withheld"),
        )
    ]


def audit_log_of(run_id: int) -> list[RunAuditRow]:
    """Entries of the run's audit log, newest first."""
    is_public = Q(action=AuditEntry.Action.RERUN) & ~is_secret(run="run__")
    session_before = Case(When(is_public, then=F("detail")), default=Value(""))
    rows = AuditEntry.objects.filter(run=run_id).annotate(session_before=session_before).order_by("-at", "-id")
    return [
        RunAuditRow(*row)
        for row in rows.values_list(
            *("at", "actor_name", "action", "result__task__path", "result_id"),
            *("from_attempt__number", "to_attempt__number", "reason", "undoes__action", "session_before"),
        )
    ]


def choices(*, drafts: bool = False) -> Choices:
    """Values that occur in runs that are or were public; with `drafts`, in all."""
    names = ("suite__name", "device_class__slug", "configuration__slug", "protocol")
    shown = Run.objects.all() if drafts else Run.objects.exclude(state="draft")
    rows = shown.order_by().values_list(*names).distinct()
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    suites, devices, configurations, protocols = (sorted(set(column)) for column in columns)
    return Choices(suites, devices, configurations, sorted(protocols, key=protocol_age))


def open_attempts() -> int:
    return Attempt.objects.public().open().count()


def _as_queued(row: RunResultRow) -> RunResultRow:
    return RunResultRow(*row[:7], "queued", None, None, None, row.queued_at, None, None, None, None)


def _with_counts(runs: QuerySet[Run]) -> QuerySet[Run]:
    """The runs with progress and passed tasks, from public results if the run is public, else from latest attempts."""
    is_public = Q(state="published")
    latest = Q(results__attempts__is_latest=True) & ~withheld(attempt="results__attempts__", run="")
    passed = latest & Q(results__attempts__status="passed") & ~Q(results__audit="hacked")
    passed = is_public & is_correct(result="results__") | ~is_public & passed
    return runs.with_progress(public=True).annotate(  # type: ignore[attr-defined, no-any-return]
        passed=Count("results", filter=passed, distinct=True),
        evaluated_from=Min("results__attempts__started_at", filter=latest),
        evaluated_until=Max("results__attempts__ended_at", filter=latest),
    )
