"""The counter of changes to what is public, and how attempts stand, which it does not count."""

from __future__ import annotations

from django.db import connection
from django.db.models import Count, Max, Q, QuerySet

from runs.models import Attempt, AuditEntry, Result, Revision, Run
from runs.models.attempts import OPEN
from runs.querysets import today, withheld

# Asked before every kept page, where the ORM's way to the same text would take a third of the time.
_SQL = f"SELECT number, (SELECT MAX(id) FROM {AuditEntry._meta.db_table}) FROM {Revision._meta.db_table}"


def revision() -> str:
    """Another text after each change: an entry of the trail comes with its change, the counter right after it."""
    with connection.cursor() as cursor:
        cursor.execute(_SQL)
        number, newest = cursor.fetchone() or (0, 0)
    return f"{number}-{newest or 0}"


def of_result(*, result: int, **part: str) -> str | None:
    """Whatever part of the page is asked for, as in the two below."""
    return _ended(Result.objects.filter(pk=result))


def of_run(*, run: int, **part: str) -> str | None:
    return _ended(Result.objects.filter(run__in=Run.objects.filter(pk=run)))


def of_task(*, category: str, source: str, name: str, **part: str) -> str | None:
    return _ended(Result.objects.filter(task__path=f"{category}/{source}/{name}"))


def _ended(results: QuerySet[Result]) -> str | None:
    """Another text for each new attempt and each day; None while one is open, since that changes without a word.

    One that is withheld looks open, so it is here, too: that it ended must not be told from how it is answered.
    """
    is_open = Q(status__in=OPEN) | withheld()
    found = Attempt.objects.filter(result__in=results).aggregate(
        open_attempts=Count("id", filter=is_open), count=Count("id"), newest=Max("id"), ended_at=Max("ended_at")
    )
    if found["open_attempts"]:
        return None
    ended_at = found["ended_at"].timestamp() if found["ended_at"] else 0
    return f"{found['count']}-{found['newest'] or 0}-{ended_at:.6f}-{today():%Y%m%d}"
