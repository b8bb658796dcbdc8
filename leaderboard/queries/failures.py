"""Counts of outcomes: public results by status and reason, and unseen cases of revealed rounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.db.models import Case, Count, Max, QuerySet, Value, When

from leaderboard.eligibility import HACKED
from leaderboard.queries.ordering import by
from runs.models import Result, UnseenMeasurement


class OutcomeRow(NamedTuple):
    """Results of public runs with the same outcome.

    `status` is None where nothing is published, and hacked where an audit found that of one that passed.
    """

    configuration: str
    agent: str
    model: str | None
    role: str
    suite: str
    version: int
    device: str
    protocol: str
    status: str | None
    reason: str | None
    results: int
    example: int  # the newest result


class UnseenRow(NamedTuple):
    """Unseen cases of a configuration with the same outcome, of those with a verdict on baseline and candidate.

    On those of a result that an audit found hacked the candidate is wrong.
    """

    configuration: str
    agent: str
    model: str | None
    round: str
    device: str
    protocol: str
    baseline_correct: bool
    correct: bool
    reason: str
    cases: int
    example: int  # the newest result


class Example(NamedTuple):
    id: int
    task: str
    message: str


def outcomes(**filters: str) -> list[OutcomeRow]:
    """Outcomes of all results of public runs, so that counts add up to tasks × runs."""
    rows: QuerySet[Result, Any] = Result.objects.filter(run__state="published")
    hacked = When(audit=HACKED, published_attempt__status="passed", then=Value(HACKED))
    rows = rows.filter(**_lookups("run__", filters)).annotate(outcome=Case(hacked, default="published_attempt__status"))
    board = ("run__suite__name", "run__suite__version", "run__device_class__slug", "run__protocol")
    fields = (*board, "outcome", "published_attempt__reason")
    found = rows.values_list(*_ENTRY, *fields).annotate(results=Count("id"), example=Max("id"))
    return [OutcomeRow(*row) for row in found.order_by(*by(*_ENTRY[:1], *fields))]


def unseen(**filters: str) -> list[UnseenRow]:
    """Unseen cases of published attempts in revealed rounds."""
    attempt = "evaluation__attempt__"
    is_hacked = {f"{attempt}result__audit": HACKED}
    rows: QuerySet[UnseenMeasurement, Any] = UnseenMeasurement.objects.visible().filter(
        **{f"{attempt}published_for__run__state": "published", "is_error": False},
        **_lookups(f"{attempt}result__run__", filters),
    )
    rows = rows.annotate(
        is_right=Case(When(**is_hacked, then=False), default="correct"),
        because=Case(When(**is_hacked, then=Value(HACKED)), default="reason"),
    )
    entry = tuple(name.replace("run__", f"{attempt}result__run__", 1) for name in _ENTRY[:3])
    run = f"{attempt}result__run__"
    board = ("evaluation__round__slug", f"{run}device_class__slug", f"{run}protocol")
    fields = (*board, "baseline_correct", "is_right", "because")
    found = rows.values_list(*entry, *fields).annotate(cases=Count("id"), example=Max(f"{attempt}result"))
    return [UnseenRow(*row) for row in found.order_by(*by(*entry[:1], *fields))]


def examples(results: Iterable[int]) -> dict[int, Example]:
    """Task and message of these results, by id."""
    rows = Result.objects.filter(pk__in=set(results))
    return {row[0]: Example(*row) for row in rows.values_list("id", "task__path", "published_attempt__message")}


_ENTRY = (
    *("run__configuration__slug", "run__configuration__agent__name", "run__configuration__model__name"),
    "run__configuration__role",
)


def _lookups(run: str, filters: Mapping[str, str]) -> dict[str, str]:
    names = {"suite": "suite__name", "device": "device_class__slug", "configuration": "configuration__slug"}
    return {f"{run}{names.get(name, name)}": value for name, value in filters.items() if value}
