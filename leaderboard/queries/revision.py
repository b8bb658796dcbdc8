"""Revisions of pages: the counter of public changes, and with it the state of attempts, which it does not count."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.models import Count, Max, Model, Q, QuerySet, Subquery

from runs.models import AuditEntry, Result, Revision, Run, Task
from runs.models.attempts import OPEN
from runs.querysets import today, withheld

# Needed before every cached response, of which building it with the ORM would take a third of the time.
_SQL = f"SELECT number, (SELECT MAX(id) FROM {AuditEntry._meta.db_table}) FROM {Revision._meta.db_table}"


def revision() -> str:
    """A text that differs after each public change: an audit entry comes with the change, the counter right after."""
    with connection.cursor() as cursor:
        cursor.execute(_SQL)
        number, newest = cursor.fetchone() or (0, 0)
    return f"{number}-{newest or 0}"


def of_result(*, result: int, **part: str) -> str | None:
    """The revision of a result's pages; None while an attempt is open."""
    return _with_attempts(Result.objects.filter(pk=result), "attempts__", run="run__")


def of_run(*, run: int, **part: str) -> str | None:
    return _with_attempts(Run.objects.filter(pk=run), "results__attempts__", run="")


def of_task(*, category: str, source: str, name: str, **part: str) -> str | None:
    rows = Task.objects.filter(path=f"{category}/{source}/{name}")
    return _with_attempts(rows, "results__attempts__", run="results__run__")


def _with_attempts(rows: QuerySet[Model], attempts: str, *, run: str) -> str | None:
    """A text that differs after each change, new attempt and day. `attempts` and `run` are lookups from a row.

    None if there is no row, and while an attempt is open, as that changes without a new revision. A withheld attempt
    counts as open, since ETags must not reveal that it ended.
    """
    is_open = Q(**{f"{attempts}status__in": OPEN}) | withheld(attempt=attempts, run=run)
    columns = {
        "number": Subquery(Revision.objects.values("number")),
        "entry": Subquery(AuditEntry.objects.order_by("-id").values("id")[:1]),
        "open_attempts": Count(f"{attempts}id", filter=is_open),
        "all_attempts": Count(f"{attempts}id"),
        "newest": Max(f"{attempts}id"),
        "ended_at": Max(f"{attempts}ended_at"),
    }
    found = list(rows.order_by("pk").values("pk").annotate(**columns))
    if not found or any(row["open_attempts"] for row in found):
        return None
    return "-".join([f"{today():%Y%m%d}", *map(_text, found)])


def _text(row: dict[str, Any]) -> str:
    ended_at = row["ended_at"].timestamp() if row["ended_at"] else 0
    return f"{row['number'] or 0}-{row['entry'] or 0}-{row['all_attempts']}-{row['newest'] or 0}-{ended_at:.6f}"
