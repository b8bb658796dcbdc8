"""KernelBench-X: public bundles of runs and of refinement rounds, and results measured here on tasks after its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.fields.json import KeyTextTransform

from runs.models import Claim, Result, Submission, SuiteMembership, Task
from runs.querysets import is_correct

RUNS, CORPUS = "KernelBench-X", "KernelBench-X corpus"
MOST_BUNDLES = 20
SOURCE = "kernelbenchx"  # of our tasks after the benchmark's
SUITE = "kernelbench-x-native"  # of all of them
_MEASURED = {"run__suite__name": SUITE, "run__suite__is_current": True, "run__origin": "run_here"}


class BundleRow(NamedTuple):
    id: int
    format: str
    declared: dict[str, Any]  # by the submitter
    about: dict[str, Any]


class KernelBenchXClaimRow(NamedTuple):
    """A claim. `claimed` is as written; the recomputed speedup follows from its own times."""

    submission: int
    task: str
    attempt: str
    status: str
    claimed: dict[str, Any]
    claimed_speedup: float | None
    recomputed_speedup: float | None


def bundles() -> list[BundleRow]:
    """Public bundles, newest first, MOST_BUNDLES at most."""
    rows = Submission.objects.filter(is_public=True, format__in=(RUNS, CORPUS)).order_by("-received_at", "-id")
    return [BundleRow(*row) for row in rows.values_list(*BundleRow._fields)[:MOST_BUNDLES]]


def claims_of(submissions: Sequence[int]) -> list[KernelBenchXClaimRow]:
    """Claims on tasks of the suite, without those in quarantine."""
    rows = Claim.objects.filter(submission__in=submissions, is_known=True).order_by("id")
    return [KernelBenchXClaimRow(*row) for row in rows.values_list(*KernelBenchXClaimRow._fields)]


class NativeTaskRow(NamedTuple):
    path: str
    name: str
    provenance: dict[str, str]
    is_in_suite: bool  # in the current version of SUITE, which all denominators come from


def native_tasks() -> list[NativeTaskRow]:
    """Every current task after one of the benchmark's."""
    member = SuiteMembership.objects.filter(task=OuterRef("pk"), suite__name=SUITE, suite__is_current=True)
    rows = Task.objects.filter(is_current=True, source=SOURCE).annotate(is_in_suite=Exists(member)).order_by("path")
    return [NativeTaskRow(*row) for row in rows.values_list(*NativeTaskRow._fields)]


class OwnRow(NamedTuple):
    """Public results of a configuration on a device class under one protocol, on the tasks of one category.

    Only results that may rank are judged, so all of its counts but `runs` are of these.
    """

    configuration: str
    agent: str
    model: str | None
    device: str
    device_title: str
    is_functional: bool
    protocol: str
    category: str | None  # as the benchmark prints it
    runs: int
    judged: int
    compiled: int
    correct: int
    timed: int  # correct, with a speed
    slower: int  # of these, slower than eager PyTorch
    log_speedup: float | None  # their sum


class OwnSpeedRow(NamedTuple):
    """A correct result that may rank and has a speed."""

    configuration: str
    device: str
    device_title: str
    protocol: str
    task: int
    log_speedup: float


_SPEED = "published_attempt__cautious_log_speedup"


def own_counts() -> list[OwnRow]:
    """Counts of results measured here on the current version of the suite, of entries alone."""
    judged, correct = Q(is_judged=True), Q(is_judged=True) & is_correct()
    timed = correct & Q(**{f"{_SPEED}__isnull": False})
    names = (
        *("run__configuration__slug", "run__configuration__agent__name", "run__configuration__model__name"),
        *("run__device_class__slug", "run__device_class__title", "run__device_class__is_functional"),
        *("run__protocol", "operator"),
    )
    rows = (
        Result.objects.filter(run__state="published", run__configuration__role="entry", **_MEASURED)
        .annotate(operator=KeyTextTransform("operator_type", "task__provenance"), is_judged=Exists(_ranking()))
        .values(*names)
        .annotate(
            runs=Count("run", distinct=True),
            judged=Count("pk", filter=judged),
            compiled=Count("pk", filter=judged & Q(published_attempt__compiled=True)),
            correct=Count("pk", filter=correct),
            timed=Count("pk", filter=timed),
            slower=Count("pk", filter=timed & Q(**{f"{_SPEED}__lt": 0})),
            log_speedup=Sum(_SPEED, filter=timed),
        )
        .order_by("run__device_class__is_functional", "run__device_class__slug", "-run__protocol", *names[:1])
    )
    return [OwnRow(*row) for row in rows.values_list(*names, *OwnRow._fields[len(names) :])]


def own_speeds() -> list[OwnSpeedRow]:
    """Speeds of all correct results measured here on the current version of the suite, of entries alone."""
    rows = Result.objects.may_rank().filter(is_correct(), **_MEASURED, **{f"{_SPEED}__isnull": False})
    names = (
        *("run__configuration__slug", "run__device_class__slug", "run__device_class__title", "run__protocol"),
        *("task_id", _SPEED),
    )
    return [OwnSpeedRow(*row) for row in rows.order_by("id").values_list(*names)]


def _ranking() -> QuerySet[Result]:
    return Result.objects.may_rank().filter(pk=OuterRef("pk"))
