"""Changes of the leaderboards from the audit log: runs published or withdrawn, results replaced, rounds revealed."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models import F, Q

from runs.models import AuditEntry


class ChangeRow(NamedTuple):
    id: int
    at: datetime
    action: str
    reason: str
    run_id: int | None
    agent: str | None
    model: str | None
    suite: str | None
    version: int | None
    device: str | None
    task: str | None
    from_status: str | None
    to_status: str | None
    round: str | None
    round_suite: str | None


def newest(limit: int) -> list[ChangeRow]:
    """Changes, newest first. Publishing a run is one change, not one for each of its results."""
    of_a_run = Q(action__in=("publish", "withdraw"), run__state__in=("published", "withdrawn"))
    alone = Q(result__isnull=True) | Q(from_attempt__isnull=False) | Q(at__gt=F("run__published_at"))
    rows = AuditEntry.objects.filter(of_a_run & alone | Q(action="reveal")).order_by("-at", "-id")
    fields = (
        *("id", "at", "action", "reason", "run_id", "run__configuration__agent__name"),
        *("run__configuration__model__name", "run__suite__name", "run__suite__version", "run__device_class__title"),
        *("result__task__path", "from_attempt__status", "to_attempt__status", "round__slug", "round__suite__name"),
    )
    return [ChangeRow(*row) for row in rows.values_list(*fields)[:limit]]
