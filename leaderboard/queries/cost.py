"""What agents used and evaluations took, by configuration and device class."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import NamedTuple

from django.db.models import Case, Count, DurationField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Sum, When

from leaderboard.queries.boards import WERE_PUBLIC, ResultRow, rows_by
from leaderboard.queries.ordering import by
from runs.models import Result
from runs.querysets import ResultQuerySet, is_secret


class AgentCostRow(NamedTuple):
    """What the sessions of public answers used, on one suite and device class. Sums are over those that said it.

    `gain` is the sum of log u (statistics/answers.py) over the `counting` answers, those that may rank.
    """

    configuration: str
    agent: str
    model: str | None
    suite: str
    version: int
    device: str
    is_functional: bool
    sessions: int
    seconds: float
    say_output: int
    output_tokens: int | None
    say_input: int
    input_tokens: int | None
    say_cost: int
    cost_usd: float | None
    counting: int
    gain: float | None


def agents() -> list[AgentCostRow]:
    """Of runs in no secret round."""
    entry = ("run__configuration__slug", "run__configuration__agent__name", "run__configuration__model__name")
    place = ("run__suite__name", "run__suite__version", "run__device_class__slug", "run__device_class__is_functional")
    public: ResultQuerySet = Result.objects.public()
    ranked: ResultQuerySet = Result.objects.may_rank()
    held: QuerySet[Result] = public.exclude(is_secret(run="run__")).exclude(session=None).exclude(session__ended="")
    may_rank, gained = Exists(ranked.filter(pk=OuterRef("pk"))), F("published_attempt__cautious_log_speedup")
    is_faster = Q(published_attempt__status="passed", published_attempt__log_speedup_low__gt=0)
    rows = held.values_list(*entry, *place).annotate(
        sessions=Count("id"),
        seconds=Sum("session__seconds"),
        say_output=Count("session__output_tokens"),
        output_tokens=Sum("session__output_tokens"),
        say_input=Count("session__input_tokens"),
        input_tokens=Sum("session__input_tokens"),
        say_cost=Count("session__cost_usd"),
        cost_usd=Sum("session__cost_usd"),
        counting=Count("id", filter=Q(may_rank)),
        gain=Sum(Case(When(is_faster, then=gained), default=0.0), filter=Q(may_rank)),
    )
    return [AgentCostRow(*row) for row in rows.order_by(*by(*entry[1:], entry[0], *place))]


def answers_on_clocks(suites: Collection[str]) -> dict[tuple[str, int, str], list[ResultRow]]:
    """Of the suites' versions on each device class with a clock, as boards take them."""
    suite = "task__memberships__suite"
    rows = Result.objects.filter(
        run__state__in=WERE_PUBLIC, run__device_class__is_functional=False, **{f"{suite}__name__in": suites}
    )
    return rows_by(rows, f"{suite}__name", f"{suite}__version", "run__device_class__slug") if suites else {}


class EvaluationRow(NamedTuple):
    """Wall time of the published attempts of public runs, from the claim to the verdict, without agents' sessions."""

    configuration: str
    agent: str
    model: str | None
    device: str
    answers: int
    took: timedelta
    sessions_s: float | None  # of the attempts within which one was held


def evaluations() -> list[EvaluationRow]:
    entry = ("run__configuration__slug", "run__configuration__agent__name", "run__configuration__model__name")
    took = F("published_attempt__ended_at") - F("published_attempt__started_at")
    rows = (
        Result.objects.public()
        .filter(published_attempt__started_at__isnull=False)
        .values_list(*entry, "run__device_class__slug")
        .annotate(
            answers=Count("id"),
            took=Sum(ExpressionWrapper(took, output_field=DurationField())),
            sessions_s=Sum("session__seconds", filter=Q(session__attempt=F("published_attempt"))),
        )
    )
    return [EvaluationRow(*row) for row in rows.order_by(*by(*entry[1:], entry[0], "run__device_class__slug"))]
