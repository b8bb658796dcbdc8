"""Rounds of unseen cases, and the outcomes of a board's public results on them.

Single cases are only ever read through `visible`. What they come to is stored with their evaluation, and before the
reveal that is all that counts over a suite are made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import Count, ExpressionWrapper, F, Field, Q

from evaluator.unseen.cases import CONFIG_CATEGORIES
from leaderboard.changelog import protocol_age
from leaderboard.words import ALL
from runs.models import Result, Round, Run, UnseenEvaluation, UnseenMeasurement
from runs.querysets import UnseenEvaluationQuerySet, UnseenMeasurementQuerySet

FLAGS = ("correct", "is_held", "is_uncalibrated")  # of an attempt


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
    """A result of a public run of the round. Values of its attempt are None where no attempt is published.

    FLAGS are as the database driver has them, 1 or True.
    """

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
    protocol: str | None
    correct: bool | None
    is_held: bool | None
    is_uncalibrated: bool | None
    host_is_accepted: bool | None
    seen_mean: float | None  # of the speedups on the device clock, over eligible seen cases
    seen_mean_log: float | None
    evaluation: int | None  # on unseen cases
    outcomes: str | None  # JSON: how many of its cases of each category ended in each quadrant
    unseen_mean: float | None = None  # as on seen cases; both None before the reveal
    unseen_mean_log: float | None = None


class RegressionRow(NamedTuple):
    """An unseen case on which the baseline is correct and the candidate is not."""

    evaluation: int
    case: str
    category: str
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
    """Current suites and device classes with public runs of rounds, newest rounds and protocols first."""
    rows = (
        Run.objects.public()
        .filter(suite__is_current=True, round__isnull=False)
        .order_by("suite__name", "device_class__slug", "-round__opened_at", "-round_id")
        .values_list(
            *("suite__name", "suite__version", "suite__title", "device_class__slug", "device_class__title"),
            *("protocol", "round__slug", "round__opened_at", "round__revealed_at"),
        )
        .annotate(entries=Count("configuration", distinct=True))
    )
    of_round = groupby(map(RoundBoardRow._make, rows), key=lambda row: (row.suite, row.device, row.round))
    return [row for _, own in of_round for row in sorted(own, key=lambda row: protocol_age(row.protocol), reverse=True)]


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


def results(board: UnseenBoard, *, is_revealed: bool) -> list[UnseenResultRow]:
    """Results of public runs of the round, missing ones included; with speeds on unseen cases once it is revealed."""
    rows = (
        Result.objects.filter(_on_board(board))
        .annotate(
            outcomes=_raw("published_attempt__unseen__outcomes"),
            **{f"flag_{name}": _raw(f"published_attempt__{name}") for name in FLAGS},
        )
        .order_by("run__configuration__slug", "run__repeat", "run_id", "task__category", "task__path")
    )
    fields = (
        *("id", "task__path", "run_id", "run__repeat"),
        *(f"run__configuration__{name}" for name in ("slug", "role", "agent__name", "model__name")),
        "audit",
        *("published_attempt__status", "published_attempt__protocol", *(f"flag_{name}" for name in FLAGS)),
        "published_attempt__host__is_accepted",
        *(f"published_attempt__{name}" for name in ("mean_speedup", "log_speedup", "unseen")),
        "outcomes",
        *(("published_attempt__unseen__mean_speedup", "published_attempt__unseen__log_speedup") if is_revealed else ()),
    )
    return [UnseenResultRow(*row) for row in rows.values_list(*fields)]


def regressions(board: UnseenBoard, hacked: Sequence[int]) -> list[RegressionRow]:
    """Regressions in the order of their evaluation; none before the round is revealed.

    In a `hacked` evaluation, a case on which both sides are correct is one, too.
    """
    shown: UnseenEvaluationQuerySet[UnseenEvaluation] = UnseenEvaluation.objects.visible()
    own = Q(evaluation__in=shown.filter(_of_board(board)).order_by().values("pk"), baseline_correct=True)
    cases = UnseenMeasurement.objects.filter(own).values_list("evaluation_id", "id", *RegressionRow._fields[1:])
    rows = [*cases.filter(correct=False).order_by(), *cases.filter(evaluation__in=hacked, correct=True).order_by()]
    return [RegressionRow(evaluation, *values) for evaluation, _, *values in sorted(rows)]


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


def _raw(name: str) -> ExpressionWrapper[F]:
    """A column as the driver has it: Django's own conversion takes longer than the query."""
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
