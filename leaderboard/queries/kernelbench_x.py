"""KernelBench-X: public bundles of runs and of refinement rounds, and results measured here on tasks after its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import Count, Exists, FloatField, OuterRef, Q, QuerySet, Sum, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce

from runs.models import Claim, Result, Run, SuiteMembership, Task
from runs.querysets import is_correct

RUNS, CORPUS = "KernelBench-X", "KernelBench-X corpus"
SOURCE = "kernelbenchx"  # of our tasks after the benchmark's
SUITE = "kernelbench-x-native"  # of all of them
_MEASURED = {"suite__name": SUITE, "suite__is_current": True, "origin": "run_here"}  # runs


class KernelBenchXClaimRow(NamedTuple):
    """A claim. `claimed` is as written; the recomputed speedup follows from its own times."""

    submission: int
    task: str
    attempt: str
    status: str
    claimed: dict[str, Any]
    claimed_speedup: float | None
    recomputed_speedup: float | None
    code_quality: dict[str, Any] | None  # measured here from its source


def claims_of(submissions: Sequence[int]) -> list[KernelBenchXClaimRow]:
    """Claims on tasks of the suite, without those in quarantine."""
    rows = Claim.objects.filter(submission__in=submissions, is_known=True).order_by("id")
    return [KernelBenchXClaimRow(*row) for row in rows.values_list(*KernelBenchXClaimRow._fields)]


class NativeTaskRow(NamedTuple):
    path: str
    name: str
    provenance: dict[str, str]
    is_current: bool  # False: the suite keeps an earlier version of a task that has changed since
    is_in_suite: bool  # in the current version of SUITE, which all denominators come from


def native_tasks() -> list[NativeTaskRow]:
    """Every current task after one of the benchmark's, and what else is in the current version of the suite."""
    member = SuiteMembership.objects.filter(task=OuterRef("pk"), suite__name=SUITE, suite__is_current=True)
    rows = Task.objects.annotate(is_in_suite=Exists(member)).order_by("path", "-is_current")
    rows = rows.filter(Q(is_current=True, source=SOURCE) | Q(is_in_suite=True))
    return [NativeTaskRow(*row) for row in rows.values_list(*NativeTaskRow._fields)]


class OwnRow(NamedTuple):
    """Public results of a configuration on a device class under one protocol, on the tasks of one category.

    Only results that may rank are counted. A row without a category has how many runs they are of.
    """

    configuration: str
    agent: str
    model: str | None
    device: str
    device_title: str
    is_functional: bool
    protocol: str
    category: str  # as the benchmark prints it
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
    candidate: str  # digest; empty if its files are not stored
    log_speedup: float


_SPEED = "published_attempt__cautious_log_speedup"
_ENTRY = (
    *("configuration__slug", "configuration__agent__name", "configuration__model__name"),
    *("device_class__slug", "device_class__title", "device_class__is_functional", "protocol"),
)
_COUNTS = OwnRow._fields[len(_ENTRY) :]


def own_counts() -> list[OwnRow]:
    """Counts of results measured here on the current version of the suite, of entries alone, in one question."""
    rows = _result_counts().union(_run_counts(), all=True)
    return [OwnRow(*row) for row in rows]


def _result_counts() -> QuerySet[Result, tuple[Any, ...]]:
    correct = is_correct()
    timed = correct & Q(**{f"{_SPEED}__isnull": False})
    names = [f"run__{name}" for name in _ENTRY]
    rows: QuerySet[Result, tuple[Any, ...]] = (
        Result.objects.may_rank()
        .filter(**{f"run__{name}": value for name, value in _MEASURED.items()})
        .annotate(
            category=Coalesce(KeyTextTransform("operator_type", "task__provenance"), Value("", TextField())),
            runs=Value(0),
        )
        .values(*names, "category", "runs")
        .annotate(
            judged=Count("pk"),
            compiled=Count("pk", filter=Q(published_attempt__compiled=True)),
            correct=Count("pk", filter=correct),
            timed=Count("pk", filter=timed),
            slower=Count("pk", filter=timed & Q(**{f"{_SPEED}__lt": 0})),
            log_speedup=Sum(_SPEED, filter=timed),
        )
        .order_by()  # SQLite knows no order within a union
        .values_list(*names, *_COUNTS)
    )
    return rows


def _run_counts() -> QuerySet[Run, tuple[Any, ...]]:
    """The same columns for runs, so that one without a result that may rank is counted too."""
    none = {name: Value(0) for name in ("judged", "compiled", "correct", "timed", "slower")}
    rows: QuerySet[Run, tuple[Any, ...]] = (
        Run.objects.public()
        .filter(configuration__role="entry", **_MEASURED)
        .values(*_ENTRY)
        .annotate(category=Value("", TextField()), runs=Count("pk"), log_speedup=Value(None, FloatField()), **none)
        .order_by()
        .values_list(*_ENTRY, *_COUNTS)
    )
    return rows


def own_speeds() -> list[OwnSpeedRow]:
    """Speeds of all correct results measured here on the current version of the suite, of entries alone."""
    measured = {f"run__{name}": value for name, value in _MEASURED.items()}
    rows = Result.objects.may_rank().filter(is_correct(), **measured, **{f"{_SPEED}__isnull": False})
    names = (
        *("run__configuration__slug", "run__device_class__slug", "run__device_class__title", "run__protocol"),
        *("task_id", "candidate_digest", _SPEED),
    )
    return [OwnSpeedRow(*row) for row in rows.order_by("id").values_list(*names)]
