"""Versions of protocols, of the evaluator, and of suites and their tasks."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Max, Min, Q

from runs.models import Attempt, Suite, SuiteMembership
from runs.querysets import of_draft_from_elsewhere


class AttemptCountRow(NamedTuple):
    """Attempts with a record, by protocol and evaluator."""

    protocol: str
    evaluator: str
    attempts: int
    published: int
    first_at: datetime
    last_at: datetime


class SuiteVersionRow(NamedTuple):
    id: int
    name: str
    version: int
    title: str
    digest: str
    is_current: bool
    added_at: datetime
    public_runs: int


def attempt_counts() -> list[AttemptCountRow]:
    """Counts of attempts, the newest evaluator first; without withheld ones and those of drafts from elsewhere."""
    known = Attempt.objects.public().exclude(protocol="").exclude(of_draft_from_elsewhere(run="result__run__"))
    rows = known.values_list("protocol", "evaluator")
    counted = rows.annotate(
        attempts=Count("id"),
        published=Count("id", filter=Q(published_for__run__state="published")),
        first_at=Min("ended_at"),
        last_at=Max("ended_at"),
    )
    return [AttemptCountRow(*row) for row in counted.order_by("-last_at", "protocol", "evaluator")]


def suites() -> list[SuiteVersionRow]:
    """Suites by name, newest version first."""
    rows = Suite.objects.annotate(public_runs=Count("runs", filter=Q(runs__state="published"))).order_by(
        "name", "-version"
    )
    return [SuiteVersionRow(*row) for row in rows.values_list(*SuiteVersionRow._fields)]


def tasks_of_suites() -> dict[int, dict[str, str]]:
    """Digests of tasks: suite's id → path → digest."""
    found: dict[int, dict[str, str]] = {}
    for suite, path, digest in SuiteMembership.objects.values_list("suite", "task__path", "task__digest"):
        found.setdefault(suite, {})[path] = digest
    return found
