"""Counts of rows for the operator's metrics: what is queued, running and finished.

Attempts that are withheld from the public count as queued here, too, so that no metric reveals how long an unseen case
took.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, F, Sum
from django.utils import timezone

from runs.models import Attempt, Host, Submission
from runs.querysets import withheld


@dataclass(frozen=True, slots=True)
class HostGauge:
    name: str
    architecture: str
    state: str  # working, disabled, quarantined
    seen_s: float | None  # how long ago; None: never


@dataclass(frozen=True, slots=True)
class Gauges:
    queued: Mapping[str, int]  # by architecture
    running: Mapping[str, int]
    attempts: Mapping[str, int]  # by status
    leases: int  # how often a worker took an attempt
    requeues: int
    submissions: Mapping[str, int]  # by state
    hosts: tuple[HostGauge, ...]


def read_gauges() -> Gauges:
    """Count the rows, in three queries."""
    shown = Attempt.objects.annotate(architecture=F("result__run__device_class__architecture"))
    rows = list(
        shown.order_by()
        .values("architecture", "status")
        .annotate(
            rows=Count("pk"),
            hidden=Count("pk", filter=withheld()),
            leases=Sum("fencing_token", filter=~withheld(), default=0),
            requeues=Sum("requeues", filter=~withheld(), default=0),
        )
    )
    queued, running, attempts = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        known = row["rows"] - row["hidden"]
        attempts.update({row["status"]: known, Attempt.Status.QUEUED: row["hidden"]})
        queued[row["architecture"]] += row["hidden"] + (known if row["status"] == Attempt.Status.QUEUED else 0)
        running[row["architecture"]] += known if row["status"] == Attempt.Status.RUNNING else 0
    return Gauges(
        queued=queued,
        running=running,
        attempts=attempts,
        leases=sum(row["leases"] for row in rows),
        requeues=sum(row["requeues"] for row in rows),
        submissions=dict(Submission.objects.order_by().values_list("state").annotate(rows=Count("pk"))),
        hosts=tuple(_host(host) for host in Host.objects.filter(is_public=True).select_related("device_class")),
    )


def _host(host: Host) -> HostGauge:
    state = "quarantined" if host.quarantined_at else "working" if host.is_enabled else "disabled"
    seen_s = (timezone.now() - host.seen_at).total_seconds() if host.seen_at else None
    return HostGauge(host.name, host.device_class.architecture, state, seen_s)
