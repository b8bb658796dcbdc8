"""Public results of one configuration on several device classes."""

from __future__ import annotations

from typing import NamedTuple

from runs.models import Result


class PortableRow(NamedTuple):
    """A public result. `log_speedup` is None if it did not pass, is functional or has no eligible case."""

    result_id: int
    task: str
    task_digest: str
    device: str
    device_title: str
    is_functional: bool
    repeat: int
    suite: str
    version: int
    status: str
    log_speedup: float | None
    candidate_digest: str
    audit: str
    is_held: bool
    is_uncalibrated: bool
    protocol: str  # of the record
    run_protocol: str


def results(configuration: str, protocol: str) -> list[PortableRow]:
    """Results on current suites under a protocol, by task, device class and repeat."""
    rows = Result.objects.public().filter(
        run__configuration__slug=configuration, run__suite__is_current=True, run__protocol=protocol
    )
    fields = (
        *("id", "task__path", "task__digest", "run__device_class__slug", "run__device_class__title"),
        *("run__device_class__is_functional", "run__repeat", "run__suite__name", "run__suite__version"),
        *("published_attempt__status", "published_attempt__log_speedup", "candidate_digest", "audit"),
        *("published_attempt__is_held", "published_attempt__is_uncalibrated", "published_attempt__protocol"),
        "run__protocol",
    )
    order = ("task__category", "task__path", "run__device_class__slug", "run__repeat", "id")
    return [PortableRow(*row) for row in rows.order_by(*order).values_list(*fields)]
