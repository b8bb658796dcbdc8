"""AgentKernelArena: our tasks after its own, results measured here on them, and public bundles of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef

from runs.models import Claim, Result, Run, Task
from runs.querysets import is_correct

BENCHMARK = "AgentKernelArena"  # as provenance has it
SOURCE = "arena"  # of our tasks after it
RUNS, HELD_OUT = "AgentKernelArena", "AgentKernelArena held-out"  # formats of bundles
SUITES = "native-"  # the beginning of the names of suites of these tasks


class CounterpartRow(NamedTuple):
    path: str
    name: str
    category: str
    source: str
    provenance: dict[str, str]


def counterparts() -> list[CounterpartRow]:
    """Every current task after one of the benchmark's, by path."""
    rows = Task.objects.filter(is_current=True, provenance__benchmark=BENCHMARK).order_by("path")
    return [CounterpartRow(*row) for row in rows.values_list(*CounterpartRow._fields)]


class ArenaClaimRow(NamedTuple):
    """A claim on one of the benchmark's tasks. `claimed` is as written."""

    submission: int
    task: str
    status: str
    claimed: dict[str, Any]
    claimed_speedup: float | None
    recomputed_speedup: float | None


def claims_of(submissions: Sequence[int]) -> list[ArenaClaimRow]:
    """Claims on tasks of the suite, without those in quarantine."""
    rows = Claim.objects.filter(submission__in=submissions, is_known=True).order_by("id")
    return [ArenaClaimRow(*row) for row in rows.values_list(*ArenaClaimRow._fields)]


class OwnResultRow(NamedTuple):
    """A result of a public run of an entry on a current suite of our tasks, whether it may rank or not."""

    suite: str
    device: str
    device_title: str
    is_functional: bool
    protocol: str
    configuration: str
    agent: str
    model: str | None
    category: str
    task: str
    run: int
    compiled: bool | None
    correct: bool
    paper_speedup: float | None
    may_rank: bool


def own_results() -> list[OwnResultRow]:
    """Every result measured here on a current suite whose name begins with SUITES."""
    rows = Result.objects.filter(
        run__in=Run.objects.public().filter(origin="run_here", configuration__role="entry"),
        run__suite__is_current=True,
        run__suite__name__startswith=SUITES,
    ).annotate(
        counts=ExpressionWrapper(is_correct(), output_field=BooleanField()),
        may_rank=Exists(Result.objects.may_rank().filter(pk=OuterRef("pk"))),
    )
    device, configuration = "run__device_class", "run__configuration"
    names = (
        *("run__suite__name", f"{device}__slug", f"{device}__title", f"{device}__is_functional", "run__protocol"),
        *(f"{configuration}__slug", f"{configuration}__agent__name", f"{configuration}__model__name"),
        *("task__category", "task__path", "run_id", "published_attempt__compiled", "counts"),
        *("published_attempt__paper_speedup", "may_rank"),
    )
    return [OwnResultRow(*row) for row in rows.order_by("task__path", "run_id").values_list(*names)]
