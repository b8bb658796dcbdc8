"""Hosts with their calibrations, and the queue that they serve."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import BooleanField, Count, ExpressionWrapper, F, Q

from evaluator import VERSION
from runs.models import Attempt, Calibration, Host
from runs.querysets import QUEUE_ORDER, is_at_least, of_draft_from_elsewhere, withheld

RECENT = 200  # newest attempts that the mean duration is over


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
    host: str | None
    requeues: int
    is_paused: bool


class Depth(NamedTuple):
    """Counts of open attempts in the queue of one architecture, without secret rounds."""

    queued: int  # that a worker may take
    paused: int
    running: int


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
    agents: dict[str, Any]
    evaluator: str
    note: str
    started_at: datetime | None
    seen_at: datetime | None
    running: int
    ended: int

    @property
    def may_take_work(self) -> bool:
        return self.is_enabled and self.quarantined_at is None

    @property
    def is_outdated(self) -> bool:
        """True if its worker is older than this site and therefore takes nothing from the queue."""
        return bool(self.evaluator) and not is_at_least(self.evaluator, VERSION)


class CalibrationRow(NamedTuple):
    host: str
    device: str
    device_title: str
    made_at: datetime
    is_accepted: bool
    figures: dict[str, Any]
    facts: dict[str, Any]


def open_attempts(limit: int) -> list[WaitingRow]:
    """Open attempts, running ones first, then the queue in its order; without those of secret rounds."""
    rows = Attempt.objects.public().open().order_by("-status", *QUEUE_ORDER)
    fields = (
        *("result_id", "number", "status", "result__task__path", "result__run_id", "result__run__configuration__slug"),
        *("result__run__device_class__slug", "result__run__device_class__architecture"),
        *("queued_at", "started_at", "heartbeat_at", "host__name", "requeues"),
    )
    paused = ExpressionWrapper(Q(status="queued") & Q(result__run__paused_at__isnull=False), BooleanField())
    found = rows.annotate(is_paused=paused).values_list(*fields, "is_paused")[:limit]
    return [WaitingRow(*row) for row in found]


def depths() -> dict[str, Depth]:
    """Counts of open attempts by architecture."""
    paused = Q(status="queued", result__run__paused_at__isnull=False)
    rows = Attempt.objects.public().open().values_list("result__run__device_class__architecture").order_by()
    counted = rows.annotate(
        queued=Count("id", filter=Q(status="queued") & ~paused),
        paused=Count("id", filter=paused),
        running=Count("id", filter=Q(status="running")),
    )
    return {architecture: Depth(*counts) for architecture, *counts in counted}


def durations() -> dict[str, list[timedelta]]:
    """Durations of the newest attempts here, from claim to verdict, by architecture; without those of secret rounds."""
    rows = Attempt.objects.public().filter(started_at__isnull=False, ended_at__isnull=False).order_by("-pk")
    rows = rows.filter(result__run__origin="run_here")
    rows = rows.exclude(status="cancelled")[:RECENT]
    found: dict[str, list[timedelta]] = {}
    took = rows.annotate(took=F("ended_at") - F("started_at"))
    for architecture, span in took.values_list("result__run__device_class__architecture", "took"):
        found.setdefault(architecture, []).append(span)
    return found


def hosts() -> list[HostRow]:
    run = "attempts__result__run__"
    known = ~withheld(attempt="attempts__", run=run) & ~of_draft_from_elsewhere(run=run)
    rows = (
        Host.objects.filter(is_public=True)
        .select_related("device_class")
        .annotate(
            running=Count("attempts", filter=known & Q(attempts__status="running")),
            ended=Count("attempts", filter=known & Q(attempts__ended_at__isnull=False)),
        )
    )
    fields = (
        *("name", "device_class__slug", "device_class__title", "device_class__architecture"),
        *("device_class__is_functional", "is_enabled", "is_accepted", "calibration"),
        *("quarantined_at", "quarantine_reason", "facts", "agents", "evaluator", "note", "started_at", "seen_at"),
        *("running", "ended"),
    )
    return [HostRow(*row) for row in rows.order_by("name").values_list(*fields)]


def calibrations(limit: int) -> list[CalibrationRow]:
    """Calibrations by host, newest first."""
    rows = Calibration.objects.order_by("host__name", "-made_at")
    fields = ("host__name", "host__device_class__slug", "host__device_class__title", *CalibrationRow._fields[3:])
    return [CalibrationRow(*row) for row in rows.values_list(*fields)[:limit]]
