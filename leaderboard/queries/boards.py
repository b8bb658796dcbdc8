"""Everything that one board shows: its suite, device class, tasks, public runs and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)

from leaderboard.eligibility import HACKED, obstacle
from leaderboard.words import operator_type
from runs.agents import known
from runs.models import AuditEntry, DeviceClass, Result, Run, Suite, SuiteMembership
from runs.querysets import RunQuerySet, is_secret


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


class BoardRow(NamedTuple):
    """A suite on a device class with public runs under one protocol."""

    suite_id: int
    suite: str
    suite_title: str
    device: str
    device_title: str
    protocol: str
    entries: int  # configurations that may rank
    reference_lines: int  # configurations that are never ranked
    newest: datetime  # when its newest run was published


class TaskRow(NamedTuple):
    id: int
    path: str
    name: str
    category: str
    source: str
    operator: str  # type of operator from the task's provenance, or empty
    is_plain: bool = False  # it ships no expert


class RunRow(NamedTuple):
    """A public run with its configuration. What follows `published_at` is asked for boards alone.

    Nothing is said of sessions in a secret round.
    """

    id: int
    repeat: int
    configuration: str
    role: str
    agent: str
    model: str | None
    model_identifier: str | None  # as passed to its provider
    settings: dict[str, object]
    trust: str
    reproduced_tasks: int | None
    verified_tasks: int | None
    published_at: datetime
    agent_slug: str
    agent_kind: str
    evaluated_from: datetime | None = None  # first start and last end of its public attempts
    evaluated_until: datetime | None = None
    sessions: int = 0
    cost_reported: int = 0  # sessions
    cost_usd: float | None = None


class ResultRow(NamedTuple):
    """A result of a public run. Values of its attempt are None where no attempt is published.

    One that an audit found hacked is not correct and has no speed.
    """

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
    log_speedup: float | None  # on the device clock; a noisy case counts by the end of its interval nearer to 1
    log_speedup_low: float | None
    log_speedup_high: float | None
    paper_speedup: float | None
    card: str | None  # the UUID of the card it was measured on, where the host names one
    is_own_protocol: bool | None
    may_rank: bool


class PublicationRow(NamedTuple):
    """A published attempt, and what stood in its place until then."""

    at: datetime
    result_id: int
    role: str
    own_protocol: str | None  # of the attempt before; None, as all its values, where nothing was public
    values: list[Any]


TASK = ("id", "path", "name", "category", "source", "provenance", "is_plain")
RUN = (
    *("id", "repeat", "configuration__slug", "configuration__role", "configuration__agent__name"),
    *("configuration__model__name", "configuration__model__identifier", "configuration__settings"),
    *("trust", "reproduced_tasks", "verified_tasks", "published_at"),
    *("configuration__agent__slug", "configuration__agent__kind"),
)
WERE_PUBLIC = ("published", "withdrawn")
_RESULT = ("id", "run_id", "task_id", "audit")
_ATTEMPT = (
    *("status", "compiled", "correct", "is_held", "is_uncalibrated", "host__is_accepted"),
    *("cautious_log_speedup", "log_speedup_low", "log_speedup_high", "paper_speedup"),
    "host__facts__card_uuid",
)
_NO_SPEED: dict[str, Any] = dict.fromkeys(("log_speedup", "log_speedup_low", "log_speedup_high", "paper_speedup"))


def find(suite: str, version: int | None, device: str) -> tuple[SuiteRow, DeviceRow, list[TaskRow]] | None:
    """Suite, device class and the suite's tasks, read in one query; None where one is missing.

    Without a version it is the suite's current one, else the newest. Every rate is counted against these tasks.
    """
    suites = Suite.objects.filter(name=suite)
    suites = suites.order_by("-is_current", "-version") if version is None else suites.filter(version=version)
    devices = DeviceClass.objects.filter(slug=device)
    of_device = {f"device_{name}": Subquery(devices.values(name)) for name in DeviceRow._fields}
    members = SuiteMembership.objects.filter(suite=Subquery(suites.values("pk")[:1])).annotate(**of_device)
    names = (*(f"suite__{name}" for name in SuiteRow._fields), *of_device, *(f"task__{name}" for name in TASK))
    rows = list(members.order_by("task__category", "task__path").values_list(*names))
    ends = len(SuiteRow._fields), len(SuiteRow._fields) + len(of_device)
    if not rows or rows[0][ends[0]] is None:
        return None
    suite_row, device_row = SuiteRow(*rows[0][: ends[0]]), DeviceRow(*rows[0][ends[0] : ends[1]])
    return suite_row, device_row, [task_row(row[ends[1] :]) for row in rows]


def with_runs(suite_id: int, **filters: int) -> list[BoardRow]:
    """Boards of this suite and of all current ones that have public runs, the newest protocol of each first.

    With filters, only runs with these values count.
    """
    names = ("suite_id", "suite__name", "suite__title", "device_class__slug", "device_class__title", "protocol")
    rows = (
        Run.objects.public()
        .filter(Q(suite=suite_id) | Q(suite__is_current=True), **filters)
        .values_list(*names)
        .annotate(
            entries=Count("configuration", filter=Q(configuration__role="entry"), distinct=True),
            reference_lines=Count("configuration", filter=~Q(configuration__role="entry"), distinct=True),
            newest=Max("published_at"),
        )
    )
    return [BoardRow(*row) for row in rows.order_by("suite__name", "suite_id", *names[3:5], "-newest")]


def task_row(row: Sequence[Any]) -> TaskRow:
    """The row of the columns in TASK."""
    *values, provenance, is_plain = row
    return TaskRow._make((*values, operator_of(provenance), is_plain))


def operator_of(provenance: Mapping[str, object]) -> str:
    return operator_type(str(provenance.get("operator_type", "")))


class Participant(Protocol):
    """A run, as far as the question goes which boards show it."""

    @property
    def role(self) -> str: ...
    @property
    def agent_slug(self) -> str: ...
    @property
    def agent_kind(self) -> str: ...


def takes_part(run: Participant, tasks: Sequence[TaskRow]) -> bool:
    """Whether a board of these tasks shows a run: an entry that takes one of them, a line that takes all.

    Built-in agents take some categories, and `expert` no plain tasks; others take every task.
    """
    agent = known(run.agent_slug, run.agent_kind)
    if agent is None:
        return True
    taken = [task.category in agent.categories and (agent.takes_plain or not task.is_plain) for task in tasks]
    return any(taken) if run.role == "entry" else all(taken)


def public_runs(suite_id: int, device_slug: str, protocol: str, as_of: datetime | None = None) -> list[RunRow]:
    """Runs that are public now and were published by `as_of`."""
    runs = Run.objects.public().filter(suite=suite_id, device_class__slug=device_slug, protocol=protocol)
    if as_of is not None:
        runs = runs.filter(published_at__lte=as_of)
    rows = _with_evaluation(runs, as_of).order_by("configuration__slug", "repeat")
    return [RunRow(*row) for row in rows.values_list(*RUN, *RunRow._fields[len(RUN) :])]


def _with_evaluation(runs: RunQuerySet[Run], as_of: datetime | None) -> QuerySet[Run]:
    """Annotate public runs with when their results were evaluated, by `as_of`, and what their sessions cost."""
    attempt, session = "results__published_attempt__", "results__session__"
    was_there = Q(**{f"{attempt}ended_at__lte": as_of}) if as_of else Q()
    shown = Q(**{f"{attempt}isnull": False}) & ~Q(**{f"{session}ended": ""}) & ~is_secret()
    return runs.annotate(
        evaluated_from=Min(f"{attempt}started_at", filter=was_there),
        evaluated_until=Max(f"{attempt}ended_at", filter=was_there),
        sessions=Count("results__session", filter=shown),
        cost_reported=Count(f"{session}cost_usd", filter=shown),
        cost_usd=Sum(f"{session}cost_usd", filter=shown),
    )


def public_results(suite_id: int, device_slug: str, protocol: str, as_of: datetime | None = None) -> list[ResultRow]:
    """Results of all public runs of a board, and whether each may rank.

    Included are results of the same tasks in other suites and of withdrawn runs: the board does not show them, but they
    say how long baselines take on the device.
    """
    rows = Result.objects.filter(
        run__state__in=WERE_PUBLIC,
        task__in=SuiteMembership.objects.filter(suite=suite_id).values("task"),
        run__device_class__slug=device_slug,
        run__protocol=protocol,
    )
    found = rows_by(rows).get((), [])
    return found if as_of is None else as_they_were(found, publications(found, as_of), protocol, as_of)


def rows_by(results: QuerySet[Result], *keys: str) -> dict[tuple[Any, ...], list[ResultRow]]:
    """Rows of results by the values of the fields in `keys`."""
    rows = results.annotate(
        is_own_protocol=ExpressionWrapper(
            Q(published_attempt__protocol=F("run__protocol")), output_field=BooleanField()
        ),
        may_rank=Exists(Result.objects.may_rank().filter(pk=OuterRef("pk"))),
    ).order_by("run_id", "task_id")
    names = (*_RESULT, *(f"published_attempt__{name}" for name in _ATTEMPT), "is_own_protocol", "may_rank")
    found: dict[tuple[Any, ...], list[ResultRow]] = {}
    for row in rows.values_list(*keys, *names):
        found.setdefault(row[: len(keys)], []).append(_as_audited(ResultRow(*row[len(keys) :])))
    return found


def _as_audited(row: ResultRow) -> ResultRow:
    return row._replace(correct=False, **_NO_SPEED) if row.audit == HACKED and row.correct else row


def publications(rows: Sequence[ResultRow], after: datetime | None = None) -> list[PublicationRow]:
    """Publications of these results after a moment, newest first, from the audit log."""
    entries = AuditEntry.objects.filter(
        run__in={row.run_id for row in rows}, result__isnull=False, action="publish"
    ).order_by("-at", "-id")
    if after is not None:
        entries = entries.filter(at__gt=after)
    before = ("from_attempt__protocol", *(f"from_attempt__{name}" for name in _ATTEMPT))
    return [
        PublicationRow(at, result, role, own, values)
        for at, result, role, own, *values in entries.values_list(
            "at", "result_id", "run__configuration__role", *before
        )
    ]


def as_they_were(
    rows: Sequence[ResultRow], later: Sequence[PublicationRow], protocol: str, as_of: datetime
) -> list[ResultRow]:
    """The rows with the attempts that were public then, by the publications since, newest first."""
    before = {one.result_id: one for one in later if one.at > as_of}  # of each result the first one after that moment
    return [_before(row, protocol, before[row.id]) if row.id in before else row for row in rows]


def _before(row: ResultRow, protocol: str, publication: PublicationRow) -> ResultRow:
    """The row with the values of an older attempt, all None where nothing was public then."""
    values, is_own = publication.values, publication.own_protocol == protocol
    changed = _as_audited(ResultRow._make((*row[: len(_RESULT)], *values, is_own, False)))
    hindered = obstacle(
        status=changed.status,
        audit=changed.audit,
        is_own_protocol=changed.is_own_protocol,
        is_held=changed.is_held,
        is_uncalibrated=changed.is_uncalibrated,
    )
    return changed._replace(may_rank=publication.role == "entry" and hindered is None)
