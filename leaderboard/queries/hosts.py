"""The queue and the machines that work it off."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Max, Q

from runs.models import Attempt, Host
from runs.querysets import withheld


class WaitingRow(NamedTuple):
    result_id: int
    number: int
    status: str
    task: str
    run_id: int
    configuration: str
    device: str
    architecture: str
    queued_at: datetime
    started_at: datetime | None
    heartbeat_at: datetime | None
    lease_until: datetime | None
    host: str | None
    requeues: int


class HostRow(NamedTuple):
    name: str
    device: str
    device_title: str
    architecture: str
    is_functional: bool
    is_enabled: bool
    is_accepted: bool | None
    calibration: dict[str, Any]
    quarantined_at: datetime | None
    quarantine_reason: str
    facts: dict[str, Any]
    note: str
    started_at: datetime | None
    seen_at: datetime | None
    running: int
    ended: int
    last_ended_at: datetime | None

    @property
    def may_claim(self) -> bool:
        return self.is_enabled and self.quarantined_at is None


def open_attempts(limit: int) -> list[WaitingRow]:
    """Running ones first, then the queue in its order; without those of secret rounds."""
    rows = Attempt.objects.public().open().order_by("-status", "queued_at", "id")
    fields = (
        *("result_id", "number", "status", "result__task__path", "result__run_id", "result__run__configuration__slug"),
        *("result__run__device_class__slug", "result__run__device_class__architecture"),
        *("queued_at", "started_at", "heartbeat_at", "lease_until", "host__name", "requeues"),
    )
    return [WaitingRow(*row) for row in rows.values_list(*fields)[:limit]]


def open_counts() -> dict[tuple[str, str], int]:
    """(architecture, status) → open attempts, without those of secret rounds."""
    rows = Attempt.objects.public().open().values_list("result__run__device_class__architecture", "status")
    return {(row[0], row[1]): row[2] for row in rows.annotate(n=Count("id")).order_by()}


def hosts() -> list[HostRow]:
    known = ~withheld(attempt="attempts__", run="attempts__result__run__")
    ended = known & Q(attempts__ended_at__isnull=False)
    rows = Host.objects.select_related("device_class").annotate(
        running=Count("attempts", filter=known & Q(attempts__status="running")),
        ended=Count("attempts", filter=ended),
        last_ended_at=Max("attempts__ended_at", filter=ended),
    )
    fields = (
        *("name", "device_class__slug", "device_class__title", "device_class__architecture"),
        *("device_class__is_functional", "is_enabled", "is_accepted", "calibration"),
        *("quarantined_at", "quarantine_reason", "facts", "note", "started_at", "seen_at"),
        *("running", "ended", "last_ended_at"),
    )
    return [HostRow(*row) for row in rows.order_by("name").values_list(*fields)]
