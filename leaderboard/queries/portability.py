"""Public results on several device classes: of one configuration, of candidates, as claimed elsewhere."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import Count, Q

from leaderboard.queries.kernelbench_x import MOST_BUNDLES, RUNS
from runs.models import Claim, Result, Submission
from runs.querysets import is_correct

MOST_COUNTED = 200_000  # results, among which candidates on several device classes are looked for


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


class CountedRow(NamedTuple):
    """A public result that counts, with its candidate."""

    result: int
    configuration: str
    role: str
    agent: str
    model: str | None
    task: str
    candidate: str
    device: str
    is_functional: bool
    status: str
    audit: str
    log_speedup: float | None


class DeviceSlowerRow(NamedTuple):
    """Counts of correct results of entries that count, on one suite and device class with a clock."""

    suite: str
    version: int
    device: str
    device_title: str
    correct: int
    timed: int  # with a speed
    tasks: int  # with such a result
    below: int  # the interval of the speedup ends below 1
    under: int  # the speedup is below 1


class MachineClaimRow(NamedTuple):
    """What a submitted run of KernelBench-X claims of one task. The machine is the one that its baseline is from."""

    submission: int
    declared: dict[str, Any]
    facts: dict[str, Any] | None
    task: str
    status: str
    call_ok: bool | None
    exe_ok: bool | None
    claimed_speedup: float | None
    recomputed_speedup: float | None


FIELDS = (
    *("id", "task__path", "task__digest", "run__device_class__slug", "run__device_class__title"),
    *("run__device_class__is_functional", "run__repeat", "run__suite__name", "run__suite__version"),
    *("published_attempt__status", "published_attempt__log_speedup", "candidate_digest", "audit"),
    *("published_attempt__is_held", "published_attempt__is_uncalibrated", "published_attempt__protocol"),
    "run__protocol",
)
_WHO = ("configuration__slug", "configuration__role", "configuration__agent__name", "configuration__model__name")


def results(configuration: str, protocol: str) -> list[PortableRow]:
    """Results on current suites under a protocol, by task, device class and repeat."""
    rows = Result.objects.public().filter(
        run__configuration__slug=configuration, run__suite__is_current=True, run__protocol=protocol
    )
    order = ("task__category", "task__path", "run__device_class__slug", "run__repeat", "id")
    return [PortableRow(*row) for row in rows.order_by(*order).values_list(*FIELDS)]


def counted(protocol: str) -> list[CountedRow]:
    """All results that count on current suites under a protocol and have a candidate, MOST_COUNTED at most.

    Unordered and ungrouped: of 100,000 rows the database needs five times as long to group them as to hand them out.
    """
    rows = Result.objects.counted().filter(run__suite__is_current=True, run__protocol=protocol)
    names = (
        *("id", *(f"run__{name}" for name in _WHO), "task__path", "candidate_digest", "run__device_class__slug"),
        *("run__device_class__is_functional", "published_attempt__status", "audit", "published_attempt__log_speedup"),
    )
    found = rows.exclude(candidate_digest="").order_by().values_list(*names)[:MOST_COUNTED]
    return [CountedRow(*row) for row in found]


def slower_by_device(protocol: str) -> list[DeviceSlowerRow]:
    """Counts for each current suite and device class with a clock, under a protocol."""
    speed, high = "published_attempt__cautious_log_speedup", "published_attempt__log_speedup_high"
    timed = Q(**{f"{speed}__isnull": False})
    rows = (
        Result.objects.may_rank()
        .filter(
            is_correct(), run__suite__is_current=True, run__protocol=protocol, run__device_class__is_functional=False
        )
        .values_list("run__suite__name", "run__suite__version", "run__device_class__slug", "run__device_class__title")
        .annotate(
            correct=Count("id"),
            timed=Count("id", filter=timed),
            tasks=Count("task", filter=timed, distinct=True),
            below=Count("id", filter=timed & Q(**{f"{high}__lt": 0})),
            under=Count("id", filter=timed & Q(**{f"{speed}__lt": 0})),
        )
    )
    return [DeviceSlowerRow(*row) for row in rows.order_by("run__suite__name", "run__device_class__slug")]


def claims() -> list[MachineClaimRow]:
    """Claims of the newest public runs of KernelBench-X on tasks of its suite, by submission and task."""
    newest = Submission.objects.filter(is_public=True, format=RUNS).order_by("-received_at", "-id")
    rows = Claim.objects.filter(submission__in=newest.values("pk")[:MOST_BUNDLES], is_known=True)
    names = (
        *("submission_id", "submission__declared", "submission__about__facts", "task", "status"),
        *("claimed__call_ok", "claimed__exe_ok", "claimed_speedup", "recomputed_speedup"),
    )
    return [MachineClaimRow(*row) for row in rows.order_by("submission_id", "task").values_list(*names)]
