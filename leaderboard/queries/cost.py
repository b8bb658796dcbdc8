"""Usage of agents and duration of evaluations, by configuration and device class."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import NamedTuple

from django.db.models import Case, Count, DurationField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Sum, When

from leaderboard.queries.boards import WERE_PUBLIC, ResultRow, rows_by
from leaderboard.queries.ordering import by
from runs.models import Result
from runs.querysets import ResultQuerySet, is_correct, is_secret


class AgentCostRow(NamedTuple):
    """Usage in the sessions of public results on one suite, device class and protocol.

    Sums are over the sessions that report it.

    `gain` is the sum of log u (statistics/results.py) over the `counting` results, those that may rank.
    """

    configuration: str
    agent: str
    model: str | None
    suite: str
    version: int
    device: str
    is_functional: bool
    protocol: str
    sessions: int
    seconds: float
    output_tokens_reported: int  # sessions
    output_tokens: int | None
    input_tokens_reported: int
    input_tokens: int | None
    cost_reported: int
    cost_usd: float | None
    counting: int
    gain: float | None


def agents() -> list[AgentCostRow]:
    """Usage by configuration, suite, device class and protocol, without runs in secret rounds."""
    entry = ("run__configuration__slug", "run__configuration__agent__name", "run__configuration__model__name")
    place = (
        *("run__suite__name", "run__suite__version", "run__device_class__slug", "run__device_class__is_functional"),
        "run__protocol",
    )
    public: ResultQuerySet[Result] = Result.objects.public()
    ranked: ResultQuerySet[Result] = Result.objects.may_rank()
    with_session: QuerySet[Result] = (
        public.exclude(is_secret(run="run__")).exclude(session=None).exclude(session__ended="")
    )
    may_rank, gained = Exists(ranked.filter(pk=OuterRef("pk"))), F("published_attempt__cautious_log_speedup")
    is_faster = is_correct() & Q(published_attempt__log_speedup_low__gt=0)
    rows = with_session.values_list(*entry, *place).annotate(
        sessions=Count("id"),
        seconds=Sum("session__seconds"),
        output_tokens_reported=Count("session__output_tokens"),
        output_tokens=Sum("session__output_tokens"),
        input_tokens_reported=Count("session__input_tokens"),
        input_tokens=Sum("session__input_tokens"),
        cost_reported=Count("session__cost_usd"),
        cost_usd=Sum("session__cost_usd"),
        counting=Count("id", filter=Q(may_rank)),
        gain=Sum(Case(When(is_faster, then=gained), default=0.0), filter=Q(may_rank)),
    )
    return [AgentCostRow(*row) for row in rows.order_by(*by(*entry[1:], entry[0], *place))]


def results_on_clocks(suites: Collection[str]) -> dict[tuple[str, int, str, str], list[ResultRow]]:
    """Rows for boards, by suite, version, device class with a clock, and protocol."""
    suite = "task__memberships__suite"
    rows = Result.objects.filter(
        run__state__in=WERE_PUBLIC, run__device_class__is_functional=False, **{f"{suite}__name__in": suites}
    )
    keys = (f"{suite}__name", f"{suite}__version", "run__device_class__slug", "run__protocol")
    return rows_by(rows, *keys) if suites else {}


class EvaluationRow(NamedTuple):
    """Wall time of the published attempts of public runs, from the claim to the verdict."""

    configuration: str
    agent: str
    model: str | None
    device: str
    results: int
    took: timedelta
    sessions_s: float | None  # the part that agents' sessions took


def evaluations() -> list[EvaluationRow]:
    entry = ("run__configuration__slug", "run__configuration__agent__name", "run__configuration__model__name")
    took = F("published_attempt__ended_at") - F("published_attempt__started_at")
    rows = (
        Result.objects.public()
        .filter(published_attempt__started_at__isnull=False)
        .values_list(*entry, "run__device_class__slug")
        .annotate(
            results=Count("id"),
            took=Sum(ExpressionWrapper(took, output_field=DurationField())),
            sessions_s=Sum("session__seconds", filter=Q(session__attempt=F("published_attempt"))),
        )
    )
    return [EvaluationRow(*row) for row in rows.order_by(*by(*entry[1:], entry[0], "run__device_class__slug"))]
