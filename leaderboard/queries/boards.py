"""Everything that stands on one board."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import BooleanField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Subquery

from leaderboard.eligibility import obstacle
from runs.models import AuditEntry, DeviceClass, Result, Run, Suite, SuiteMembership


class SuiteRow(NamedTuple):
    id: int
    name: str
    version: int
    digest: str
    title: str
    is_current: bool


class DeviceRow(NamedTuple):
    slug: str
    title: str
    architecture: str
    is_functional: bool


class TaskRow(NamedTuple):
    id: int
    path: str
    name: str
    category: str
    source: str
    operator: str  # type of operator, as the task says where it comes from; empty where it does not


class RunRow(NamedTuple):
    """A public run with who made it."""

    id: int
    repeat: int
    configuration: str
    role: str
    agent: str
    model: str | None
    settings: dict[str, object]
    verification: str
    origin: str
    published_at: datetime


class ResultRow(NamedTuple):
    """A result of a public run; what is its attempt's is None where none is published."""

    id: int
    run_id: int
    task_id: int
    audit: str
    status: str | None
    compiled: bool | None
    correct: bool | None
    is_held: bool | None
    is_uncalibrated: bool | None
    host_is_accepted: bool | None
    log_speedup: float | None  # on t_dev, noisy cases by the end of their interval nearer to 1
    log_speedup_low: float | None
    log_speedup_high: float | None
    paper_speedup: float | None
    is_own_protocol: bool | None
    may_rank: bool


TASK = ("id", "path", "name", "category", "source", "provenance")
RUN = (
    *("id", "repeat", "configuration__slug", "configuration__role", "configuration__agent__name"),
    *("configuration__model__name", "configuration__settings", "verification", "origin", "published_at"),
)
WERE_PUBLIC = ("published", "withdrawn")
_RESULT = ("id", "run_id", "task_id", "audit")
_ATTEMPT = (
    *("status", "compiled", "correct", "is_held", "is_uncalibrated", "host__is_accepted"),
    *("cautious_log_speedup", "log_speedup_low", "log_speedup_high", "paper_speedup"),
)


def place(suite: str, version: int | None, device: str) -> tuple[SuiteRow, DeviceRow, list[TaskRow]] | None:
    """All three in one question: of the suite the version asked for, else the current one, else the newest.

    Its tasks are what every rate is counted against; None where it has none.
    """
    suites = Suite.objects.filter(name=suite)
    suites = suites.order_by("-is_current", "-version") if version is None else suites.filter(version=version)
    devices = DeviceClass.objects.filter(slug=device)
    of_device = {f"device_{name}": Subquery(devices.values(name)) for name in DeviceRow._fields}
    asked = SuiteMembership.objects.filter(suite=Subquery(suites.values("pk")[:1])).annotate(**of_device)
    names = (*(f"suite__{name}" for name in SuiteRow._fields), *of_device, *(f"task__{name}" for name in TASK))
    rows = list(asked.order_by("task__category", "task__path").values_list(*names))
    ends = len(SuiteRow._fields), len(SuiteRow._fields) + len(of_device)
    if not rows or rows[0][ends[0]] is None:
        return None
    suite_row, device_row = SuiteRow(*rows[0][: ends[0]]), DeviceRow(*rows[0][ends[0] : ends[1]])
    return suite_row, device_row, [task_row(row[ends[1] :]) for row in rows]


def places_with_runs(protocol: str) -> list[tuple[str, str, str, str]]:
    """Name and title of each current suite with name and title of each device class that it has public runs on."""
    rows = Run.objects.public().filter(suite__is_current=True, protocol=protocol)
    names = ("suite__name", "suite__title", "device_class__slug", "device_class__title")
    return list(rows.order_by(*names).values_list(*names).distinct())


def task_row(row: Sequence[Any]) -> TaskRow:
    """From what TASK names."""
    return TaskRow._make((*row[:-1], str(row[-1].get("operator_type", ""))))


def public_runs(suite_id: int, device_slug: str, protocol: str, as_of: datetime | None = None) -> list[RunRow]:
    """Runs that are public now, of those that were published by then."""
    rows = (
        Run.objects.public()
        .filter(suite=suite_id, device_class__slug=device_slug, protocol=protocol)
        .order_by("configuration__slug", "repeat")
    )
    if as_of is not None:
        rows = rows.filter(published_at__lte=as_of)
    return [RunRow(*row) for row in rows.values_list(*RUN)]


def public_results(suite_id: int, device_slug: str, protocol: str, as_of: datetime | None = None) -> list[ResultRow]:
    """Results of all public runs of a board, each with the one answer to whether it may rank.

    With them those of the same tasks in other suites, and of withdrawn runs: they stand nowhere on the board, but say
    how long baselines take on the device.
    """
    rows = Result.objects.filter(
        run__state__in=WERE_PUBLIC,
        task__in=SuiteMembership.objects.filter(suite=suite_id).values("task"),
        run__device_class__slug=device_slug,
        run__protocol=protocol,
    )
    found = rows_by(rows).get((), [])
    return found if as_of is None else _as_they_were(found, protocol, as_of)


def rows_by(results: QuerySet[Result], *place: str) -> dict[tuple[Any, ...], list[ResultRow]]:
    """By the values of the fields named."""
    rows = results.annotate(
        is_own_protocol=ExpressionWrapper(
            Q(published_attempt__protocol=F("run__protocol")), output_field=BooleanField()
        ),
        may_rank=Exists(Result.objects.may_rank().filter(pk=OuterRef("pk"))),
    ).order_by("run_id", "task_id")
    names = (*_RESULT, *(f"published_attempt__{name}" for name in _ATTEMPT), "is_own_protocol", "may_rank")
    found: dict[tuple[Any, ...], list[ResultRow]] = {}
    for row in rows.values_list(*place, *names):
        found.setdefault(row[: len(place)], []).append(ResultRow(*row[len(place) :]))
    return found


def _as_they_were(rows: list[ResultRow], protocol: str, as_of: datetime) -> list[ResultRow]:
    """With the attempts that were public then: where one was published later, the trail says what it replaced."""
    moves = (
        AuditEntry.objects.filter(
            run__in={row.run_id for row in rows}, result__isnull=False, action="publish", at__gt=as_of
        )
        .order_by("-at", "-id")
        .values_list(
            "result_id",
            "run__configuration__role",
            "from_attempt__protocol",
            *(f"from_attempt__{name}" for name in _ATTEMPT),
        )
    )
    before = {move[0]: move[1:] for move in moves}  # of each result the first move after that moment
    return [_before(row, protocol, *before[row.id]) if row.id in before else row for row in rows]


def _before(row: ResultRow, protocol: str, role: str, own: str | None, *values: object) -> ResultRow:
    """The row with an older attempt's values; they are all None where nothing was public then."""
    changed = ResultRow._make((*row[: len(_RESULT)], *values, own == protocol, False))
    hindered = obstacle(
        status=changed.status,
        audit=changed.audit,
        is_own_protocol=changed.is_own_protocol,
        is_held=changed.is_held,
        is_uncalibrated=changed.is_uncalibrated,
    )
    return changed._replace(may_rank=role == "entry" and hindered is None)
