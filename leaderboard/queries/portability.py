"""Public results on several device classes: of one configuration, of candidates, as claimed elsewhere."""

from __future__ import annotations

from typing import Any, NamedTuple

from leaderboard.eligibility import is_correct
from leaderboard.queries.bundles import MOST_BUNDLES
from leaderboard.queries.kernelbench_x import RUNS
from runs.models import Claim, Result, Submission

MOST_COUNTED = 200_000  # results of a suite


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
    """A public result that counts. Its speeds count if it is correct and its device class has a clock."""

    result: int
    configuration: str
    device: str
    task: str
    candidate: str  # empty where there is none
    status: str
    audit: str
    log_speedup: float | None
    cautious_log_speedup: float | None
    high: float | None  # end of the interval of the log speedup

    @property
    def is_correct(self) -> bool:
        return is_correct(self.status == "passed", self.audit)


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


def results(configuration: str, suite: str, protocol: str) -> list[PortableRow]:
    """Results on the current version of a suite under a protocol, by task, device class and repeat."""
    rows = Result.objects.public().filter(run__configuration__slug=configuration, **_on(suite, protocol))
    order = ("task__category", "task__path", "run__device_class__slug", "run__repeat", "id")
    return [PortableRow(*row) for row in rows.order_by(*order).values_list(*FIELDS)]


def counted(suite: str, protocol: str) -> list[CountedRow]:
    """All results that count on the current version of a suite under a protocol, MOST_COUNTED at most.

    Unordered and ungrouped: of 100,000 rows the database needs five times as long to group them as to hand them out.
    Columns are as they are stored: Django would convert each truth value or expression in Python.
    """
    attempt = "published_attempt__"
    names = (
        *("id", "run__configuration__slug", "run__device_class__slug", "task__path"),
        *("candidate_digest", f"{attempt}status", "audit", f"{attempt}log_speedup"),
        *(f"{attempt}cautious_log_speedup", f"{attempt}log_speedup_high"),
    )
    rows = Result.objects.counted().filter(**_on(suite, protocol))
    return list(map(CountedRow._make, rows.order_by().values_list(*names)[:MOST_COUNTED]))


def claims() -> list[MachineClaimRow]:
    """Claims of the newest public runs of KernelBench-X on tasks of its suite, by submission and task."""
    newest = Submission.objects.filter(is_public=True, format=RUNS).order_by("-received_at", "-id")
    rows = Claim.objects.filter(submission__in=newest.values("pk")[:MOST_BUNDLES], is_known=True)
    names = (
        *("submission_id", "submission__declared", "submission__about__facts", "task", "status"),
        *("claimed__call_ok", "claimed__exe_ok", "claimed_speedup", "recomputed_speedup"),
    )
    return [MachineClaimRow(*row) for row in rows.order_by("submission_id", "task").values_list(*names)]


def _on(suite: str, protocol: str) -> dict[str, Any]:
    return {"run__suite__name": suite, "run__suite__is_current": True, "run__protocol": protocol}
