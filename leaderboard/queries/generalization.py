"""Rounds of unseen cases, and the outcomes of a board's public results on them.

Single cases are only ever read through `visible`. Before the reveal, `hidden_outcomes` returns what counts over a suite
need.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import (
    Avg,
    BooleanField,
    Count,
    ExpressionWrapper,
    F,
    Field,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Exp

from evaluator.unseen.cases import CONFIG_CATEGORIES
from leaderboard.words import ALL
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


class UnseenBoard(NamedTuple):
    """Where the unseen cases of public runs are asked for."""

    suite_id: int
    device: str
    protocol: str
    round_id: int
    category: str  # of tasks, or ALL


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
    evaluation: int | None  # on unseen cases


class UnseenCases(NamedTuple):
    """Unseen cases of published attempts in columns, in the order of their evaluation. `correct` is the candidate's.

    Flags are as the database driver has them, 1 or True.
    """

    evaluation: Sequence[int]
    category: Sequence[str]
    baseline_correct: Sequence[int | None]
    correct: Sequence[int | None]
    log_ratio: Sequence[float | None]
    is_eligible: Sequence[int]
    case: Sequence[str]
    reason: Sequence[str]
    message: Sequence[str]


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


def results(board: UnseenBoard) -> list[UnseenResultRow]:
    """Results of public runs of the round, missing ones included."""
    rows = (
        Result.objects.filter(_on_board(board))
        .annotate(
            is_own_protocol=ExpressionWrapper(
                Q(published_attempt__protocol=F("run__protocol")), output_field=BooleanField()
            ),
            seen_mean=_seen_mean(),
        )
        .order_by("run__configuration__slug", "run__repeat", "run_id", "task__category", "task__path")
    )
    fields = (
        *("id", "task__path", "run_id", "run__repeat"),
        *(f"run__configuration__{name}" for name in ("slug", "role", "agent__name", "model__name")),
        "audit",
        *(f"published_attempt__{name}" for name in ("status", "correct", "is_held", "is_uncalibrated")),
        *("published_attempt__host__is_accepted", "is_own_protocol"),
        *("seen_mean", "published_attempt__log_speedup", "published_attempt__unseen"),
    )
    return [UnseenResultRow(*row) for row in rows.values_list(*fields)]


def visible_cases(board: UnseenBoard) -> UnseenCases:
    """Unseen cases in the order of their evaluation; none before the round is revealed."""
    shown: UnseenEvaluationQuerySet[UnseenEvaluation] = UnseenEvaluation.objects.visible()
    return UnseenCases(*_columns(shown.filter(_of_board(board)), len(_CASE)))


def hidden_outcomes(board: UnseenBoard) -> UnseenCases:
    """Outcomes of baseline and candidate alone, for counts over a whole suite: no case, no text, no time."""
    found = UnseenEvaluation.objects.filter(_of_board(board))
    evaluation, category, baseline_correct, correct = _columns(found, _OUTCOME)
    cases = len(evaluation)
    no_ratio, no_text = ([None] * cases, [0] * cases), [""] * cases
    return UnseenCases(evaluation, category, baseline_correct, correct, *no_ratio, no_text, no_text, no_text)


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


def _seen_mean() -> Subquery:
    """The mean speedup over a result's eligible cases; as a subquery it uses their index instead of grouping columns.

    The mean of the logs is a column of the attempt.
    """
    counted = Measurement.objects.filter(attempt=OuterRef("published_attempt"), is_eligible=True, split="seen")
    return Subquery(counted.order_by().values("attempt").annotate(mean=Avg(Exp("log_ratio"))).values("mean"))


_CASE = (
    *("evaluation_id", "category", "flag_of_baseline", "flag_of_candidate"),
    *("log_ratio", "flag_of_ratio", "case", "reason", "message"),
)
_OUTCOME = 4  # the first ones, which say how a case ended


def _columns(evaluations: QuerySet[UnseenEvaluation], most: int) -> list[Sequence[Any]]:
    """The first columns of the cases. Evaluations are found first, as a join for each case would cost as much again."""
    rows = UnseenMeasurement.objects.filter(evaluation__in=evaluations.order_by().values("pk")).annotate(
        flag_of_baseline=_flag("baseline_correct"),
        flag_of_candidate=_flag("correct"),
        flag_of_ratio=_flag("is_eligible"),
    )
    return list(zip(*rows.order_by("evaluation_id", "id").values_list(*_CASE[:most]), strict=True)) or [()] * most


def _flag(name: str) -> ExpressionWrapper[F]:
    """A flag as the driver has it: Django's own conversion takes longer than the query."""
    return ExpressionWrapper(F(name), output_field=Field())


def _of_board(board: UnseenBoard) -> Q:
    """The condition for evaluations of published attempts of one board and round."""
    return _on_board(board, prefix="attempt__published_for__") & Q(round=board.round_id)


def _on_board(board: UnseenBoard, prefix: str = "") -> Q:
    """The condition for results of public runs of one board and round."""
    values: dict[str, Any] = {
        "run__state": "published",
        "run__suite": board.suite_id,
        "run__device_class__slug": board.device,
        "run__protocol": board.protocol,
        "run__round": board.round_id,
    }
    if board.category != ALL:
        values["task__category"] = board.category
    return Q(**{f"{prefix}{name}": value for name, value in values.items()})
