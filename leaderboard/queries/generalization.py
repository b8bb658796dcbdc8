"""Rounds of unseen cases, and the outcomes of a board's public results on them.

Single cases are only ever read through `visible`. Before the reveal, `hidden_outcomes` returns what counts over a suite
need.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Avg, BooleanField, Count, ExpressionWrapper, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Exp

from evaluator.unseen.cases import CONFIG_CATEGORIES
from runs.models import Measurement, Result, Round, Run, UnseenEvaluation, UnseenMeasurement
from runs.querysets import UnseenEvaluationQuerySet, UnseenMeasurementQuerySet


class RoundRow(NamedTuple):
    """`secret` is empty until the round is revealed."""

    id: int
    slug: str
    secret_hash: str
    generator_version: str
    opened_at: datetime
    revealed_at: datetime | None
    secret: str


class RoundListRow(NamedTuple):
    """A round, whether or not any run takes part in it."""

    slug: str
    suite: str
    version: int
    suite_title: str
    secret_hash: str
    generator_version: str
    opened_at: datetime
    revealed_at: datetime | None


class UnseenResultRow(NamedTuple):
    """A result of a public run of the round. Values of its attempt are None where no attempt is published."""

    id: int
    task: str
    run_id: int
    repeat: int
    configuration: str
    role: str
    agent: str
    model: str | None
    audit: str
    status: str | None
    correct: bool | None
    is_held: bool | None
    is_uncalibrated: bool | None
    host_is_accepted: bool | None
    is_own_protocol: bool | None
    seen_mean: float | None  # of the speedups on the device clock, over eligible seen cases
    seen_mean_log: float | None


class UnseenCaseRow(NamedTuple):
    """An unseen case of a published attempt. `correct` is the candidate's."""

    result_id: int
    case: str
    category: str
    baseline_correct: bool | None
    correct: bool | None
    log_ratio: float | None
    is_eligible: bool
    reason: str
    message: str


class ResultCaseRow(NamedTuple):
    """An unseen case of one attempt, or, where `case` is None, the reason why the attempt has none."""

    number: int  # the attempt's
    round: str
    state: str
    case: str | None
    category: str | None
    origin: str | None
    baseline_correct: bool | None
    correct: bool | None
    baseline_message: str | None
    reason: str | None
    message: str | None
    log_ratio: float | None
    log_ratio_low: float | None
    log_ratio_high: float | None
    is_eligible: bool | None
    is_censored: bool | None
    is_noisy: bool | None


class TaskCaseRow(NamedTuple):
    """An unseen case of a task."""

    round: str
    case: str
    category: str
    profile: str
    origin: str


class RoundBoardRow(NamedTuple):
    """A suite on a device class that has public runs of a round under one protocol."""

    suite: str
    version: int
    suite_title: str
    device: str
    device_title: str
    protocol: str
    round: str
    opened_at: datetime
    revealed_at: datetime | None
    entries: int


def boards() -> list[RoundBoardRow]:
    """Current suites and device classes with public runs of rounds, newest rounds first, by protocol."""
    rows = (
        Run.objects.public()
        .filter(suite__is_current=True, round__isnull=False)
        .order_by("suite__name", "device_class__slug", "-round__opened_at", "-round_id", "-protocol")
        .values_list(
            *("suite__name", "suite__version", "suite__title", "device_class__slug", "device_class__title"),
            *("protocol", "round__slug", "round__opened_at", "round__revealed_at"),
        )
        .annotate(entries=Count("configuration", distinct=True))
    )
    return [RoundBoardRow(*row) for row in rows]


def rounds() -> list[RoundListRow]:
    """Rounds, newest first."""
    names = ("slug", "suite__name", "suite__version", "suite__title")
    rows = Round.objects.order_by("-opened_at", "-id").values_list(*names, *RoundListRow._fields[len(names) :])
    return [RoundListRow(*row) for row in rows]


def rounds_of(suite_id: int) -> list[RoundRow]:
    """Rounds opened for the suite, and those of its runs (a revealed round is for any suite), newest first."""
    found = Round.objects.filter(Q(suite=suite_id) | Q(runs__suite=suite_id)).distinct()
    rows = found.order_by("-opened_at", "-id").values_list(*RoundRow._fields)
    return [row if row.revealed_at else row._replace(secret="") for row in map(RoundRow._make, rows)]


def results(suite_id: int, device_slug: str, protocol: str, round_id: int) -> list[UnseenResultRow]:
    """Results of public runs of the round, missing ones included."""
    rows = (
        Result.objects.filter(_on_board(suite_id, device_slug, protocol, round_id))
        .annotate(
            is_own_protocol=ExpressionWrapper(
                Q(published_attempt__protocol=F("run__protocol")), output_field=BooleanField()
            ),
            seen_mean=_seen_mean(Exp("log_ratio")),
            seen_mean_log=_seen_mean(F("log_ratio")),
        )
        .order_by("run__configuration__slug", "run__repeat", "run_id", "task__category", "task__path")
    )
    fields = (
        *("id", "task__path", "run_id", "run__repeat"),
        *(f"run__configuration__{name}" for name in ("slug", "role", "agent__name", "model__name")),
        "audit",
        *(f"published_attempt__{name}" for name in ("status", "correct", "is_held", "is_uncalibrated")),
        *("published_attempt__host__is_accepted", "is_own_protocol", "seen_mean", "seen_mean_log"),
    )
    return [UnseenResultRow(*row) for row in rows.values_list(*fields)]


def visible_cases(suite_id: int, device_slug: str, protocol: str, round_id: int) -> list[UnseenCaseRow]:
    """Unseen cases in the order of their evaluation; none before the round is revealed."""
    rows: UnseenMeasurementQuerySet[UnseenMeasurement] = UnseenMeasurement.objects.visible()
    found = _published(rows, suite_id, device_slug, protocol, round_id)
    return [UnseenCaseRow._make(row) for row in found.values_list(_RESULT, *UnseenCaseRow._fields[1:])]


def hidden_outcomes(suite_id: int, device_slug: str, protocol: str, round_id: int) -> list[UnseenCaseRow]:
    """Outcomes of baseline and candidate alone, for counts over a whole suite: no case, no text, no time."""
    found = _published(UnseenMeasurement.objects.all(), suite_id, device_slug, protocol, round_id)
    rows = found.values_list(_RESULT, "category", "baseline_correct", "correct")
    return [
        UnseenCaseRow(result, "", name, baseline, candidate, None, False, "", "")
        for result, name, baseline, candidate in rows
    ]


def cases_of_result(result_id: int) -> list[ResultCaseRow]:
    """Cases of all attempts at the result in revealed rounds, in the order of their evaluation."""
    shown: UnseenEvaluationQuerySet[UnseenEvaluation] = UnseenEvaluation.objects.visible()
    rows = shown.filter(attempt__result=result_id).order_by("attempt__number", "cases__id")
    fields = ("attempt__number", "round__slug", "state", *(f"cases__{name}" for name in ResultCaseRow._fields[3:]))
    return [ResultCaseRow(*row) for row in rows.values_list(*fields)]


def cases_of_task(task_id: int) -> list[TaskCaseRow]:
    """Cases of revealed rounds, the newest round first."""
    shown: UnseenMeasurementQuerySet[UnseenMeasurement] = UnseenMeasurement.objects.visible()
    rows = shown.filter(evaluation__attempt__result__task=task_id).order_by("-evaluation__round__opened_at")
    fields = ("evaluation__round__opened_at", "evaluation__round__slug", *TaskCaseRow._fields[1:])
    found = [TaskCaseRow(*row) for _, *row in rows.values_list(*fields).distinct()]
    rounds = list(dict.fromkeys(row.round for row in found))
    return sorted(
        found,
        key=lambda row: (rounds.index(row.round), row.profile, CONFIG_CATEGORIES.index(row.category), row.case),
    )


def _seen_mean(value: Exp | F) -> Subquery:
    """The mean over a result's eligible cases; as a subquery it uses their index instead of grouping all columns."""
    counted = Measurement.objects.filter(attempt=OuterRef("published_attempt"), is_eligible=True, split="seen")
    return Subquery(counted.order_by().values("attempt").annotate(mean=Avg(value)).values("mean"))


_RESULT = "evaluation__attempt__published_for"


def _published(
    rows: QuerySet[UnseenMeasurement], suite_id: int, device_slug: str, protocol: str, round_id: int
) -> QuerySet[UnseenMeasurement]:
    """Unseen cases of published attempts of one board and round."""
    on_board = _on_board(suite_id, device_slug, protocol, round_id, prefix=f"{_RESULT}__")
    return rows.filter(on_board, evaluation__round=round_id).order_by(_RESULT, "id")


def _on_board(suite_id: int, device_slug: str, protocol: str, round_id: int, prefix: str = "") -> Q:
    """The condition for results of public runs of one board and round."""
    values: dict[str, Any] = {
        "state": "published",
        "suite": suite_id,
        "device_class__slug": device_slug,
        "protocol": protocol,
        "round": round_id,
    }
    return Q(**{f"{prefix}run__{name}": value for name, value in values.items()})
