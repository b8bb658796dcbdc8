"""Versions that agents had checked in public sessions, counted: by board, and over everything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.db.models import Count, F, Max, Q, Sum
from django.db.models.functions import Ln

from evaluator.records.transitions import RIGHT
from leaderboard.queries.ordering import by
from leaderboard.queries.session_rows import public_iterations, public_sessions
from leaderboard.words import ALL
from runs.models import Claim, Submission


class SessionsOfEntryRow(NamedTuple):
    """Public sessions of a configuration on a board; one without a checked version counts, too."""

    configuration: str
    agent: str
    model: str | None
    role: str
    sessions: int
    versions: int
    longest: int | None  # the largest number of versions in one session


class StepRow(NamedTuple):
    """Versions of one number, status and transition. Speeds are of those that passed and have one; None: none has."""

    configuration: str
    number: int
    is_last: bool
    status: str
    is_solved: bool  # it or a version before it passed
    transition: str  # from the version that it was made from; empty where that is the task's own source
    versions: int
    timed: int
    speedups: float | None  # sums, and the largest
    log_speedups: float | None
    largest: float | None
    best_timed: int  # the same of the best speed up to the version
    best_speedups: float | None
    best_log_speedups: float | None
    best_largest: float | None


class SessionBoardRow(NamedTuple):
    """A current suite on a device class with public sessions under one protocol."""

    suite: str
    version: int
    suite_title: str
    device: str
    device_title: str
    protocol: str
    sessions: int
    versions: int
    entries: int


class KindsRow(NamedTuple):
    """Pairs with the same kinds of edit (empty: not known) and the same transition."""

    kinds: str
    transition: str
    pairs: int


class BoardOfSessions(NamedTuple):
    suite_id: int
    device: str
    protocol: str
    category: str


_SPEED = Q(status__in=RIGHT, speedup__isnull=False)
_BEST = Q(best_speedup__isnull=False)


def sessions_of(board: BoardOfSessions) -> list[SessionsOfEntryRow]:
    """Entries with sessions on a board, by name."""
    run = "result__run__configuration__"
    names = (f"{run}slug", f"{run}agent__name", f"{run}model__name", f"{run}role")
    rows = public_sessions().filter(**_on(board, "result__")).values_list(*names)
    found = rows.annotate(sessions=Count("id"), versions=Sum("checks"), longest=Max("checks"))
    return [SessionsOfEntryRow(*row) for row in found.order_by(*by(*names[1:3], names[0]))]


def steps_of(board: BoardOfSessions, most: int) -> list[StepRow]:
    """The first `most` versions of all sessions on a board, counted."""
    slug = "session__result__run__configuration__slug"
    names = (slug, "number", "is_last", "status", "is_solved", "transition")
    rows = public_iterations().filter(number__lte=most, **_on(board, "session__result__")).values_list(*names)
    found = rows.annotate(
        versions=Count("id"),
        timed=Count("id", filter=_SPEED),
        speedups=Sum("speedup", filter=_SPEED),
        log_speedups=Sum(Ln(F("speedup")), filter=_SPEED),
        largest=Max("speedup", filter=_SPEED),
        best_timed=Count("id", filter=_BEST),
        best_speedups=Sum("best_speedup", filter=_BEST),
        best_log_speedups=Sum(Ln(F("best_speedup")), filter=_BEST),
        best_largest=Max("best_speedup", filter=_BEST),
    )
    return [StepRow(*row) for row in found.order_by(*names)]


def kinds_of(board: BoardOfSessions) -> dict[str, list[KindsRow]]:
    """Pairs of neighbouring versions on a board, by configuration."""
    slug = "session__result__run__configuration__slug"
    rows = public_iterations().filter(**_on(board, "session__result__")).exclude(transition="")
    found: dict[str, list[KindsRow]] = {}
    for configuration, *row in rows.order_by(slug).values_list(slug, "kinds", "transition").annotate(n=Count("id")):
        found.setdefault(configuration, []).append(KindsRow(*row))
    return found


def boards() -> list[SessionBoardRow]:
    run = "result__run__"
    names = (
        *(f"{run}suite__name", f"{run}suite__version", f"{run}suite__title"),
        *(f"{run}device_class__slug", f"{run}device_class__title", f"{run}protocol"),
    )
    rows = public_sessions().filter(**{f"{run}suite__is_current": True}).values_list(*names)
    found = rows.annotate(
        sessions=Count("id"), versions=Sum("checks"), entries=Count(f"{run}configuration", distinct=True)
    )
    return [SessionBoardRow(*row) for row in found.order_by(*names)]


def kinds_of_sessions() -> list[KindsRow]:
    """All pairs of neighbouring versions of public sessions."""
    rows = public_iterations().exclude(transition="").order_by("kinds", "transition")
    return [KindsRow(*row) for row in rows.values_list("kinds", "transition").annotate(n=Count("id"))]


def kinds_of_claims() -> list[KindsRow]:
    """All pairs of public corpora of refinement, tasks in quarantine left out."""
    rows = Claim.objects.filter(submission__in=Submission.objects.with_public_claims().values("pk"), is_known=True)
    pairs = rows.exclude(transition="").order_by("kinds", "transition")
    return [KindsRow(*row) for row in pairs.values_list("kinds", "transition").annotate(n=Count("id"))]


def _on(board: BoardOfSessions, result: str) -> Mapping[str, object]:
    """The condition that a result is on the board; `result` is the prefix that leads to it."""
    run = f"{result}run__"
    found: dict[str, object] = {
        f"{run}suite": board.suite_id,
        f"{run}device_class__slug": board.device,
        f"{run}protocol": board.protocol,
    }
    return found if board.category == ALL else found | {f"{result}task__category": board.category}
