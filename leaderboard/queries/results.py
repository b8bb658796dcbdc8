"""One result: its attempts, their measurements, and its files in the archive."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef

from evaluator.codec import DecodeError
from evaluator.records.record import Record, read_record
from leaderboard.queries.sessions import OF_RESULT, SessionRow
from runs import archive
from runs.models import Attempt, Measurement, Result, UnseenEvaluation
from runs.models.attempts import OPEN
from runs.models.hosts import BACKENDS
from runs.querysets import ResultQuerySet, is_secret, withheld


class ResultDetailRow(NamedTuple):
    id: int
    run_id: int
    run_state: str
    repeat: int
    suite: str
    version: int
    suite_is_current: bool
    run_protocol: str
    trust: str
    reproduced_tasks: int | None
    verified_tasks: int | None
    device: str
    device_title: str
    is_functional: bool
    architecture: str
    configuration: str
    agent: str
    agent_slug: str
    agent_kind: str
    model: str | None
    role: str
    task_id: int
    task: str
    category: str
    task_digest: str
    task_is_current: bool
    editable: list[str]
    task_files: dict[str, str]
    task_work: dict[str, Any]  # what the task's model says of each case
    audit: str
    candidate_digest: str
    candidate_files: dict[str, str]
    code_quality: dict[str, Any] | None
    published_number: int | None
    may_rank: bool
    session: SessionRow | None = None  # in which an agent wrote the candidate; None until its round is revealed

    @property
    def backend(self) -> str:
        """The evaluator's backend for the device class."""
        return BACKENDS[self.architecture]


class AttemptRow(NamedTuple):
    id: int
    number: int
    is_latest: bool
    status: str
    gate: str
    reason: str
    message: str
    flags: list[str]
    compiled: bool | None
    correct: bool | None
    evaluator: str
    record_digest: str
    queued_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    heartbeat_at: datetime | None
    host: str | None
    claimed_by: str
    requeues: int
    requeued_because: str
    log_speedup: float | None
    cautious_log_speedup: float | None
    log_speedup_low: float | None
    log_speedup_high: float | None
    paper_speedup: float | None
    work_ms: float | None
    work_bytes: float | None
    work_flops: dict[str, float] | None
    protocol: str
    is_held: bool
    is_uncalibrated: bool
    has_unseen: bool  # a public record of unseen cases

    @property
    def is_open(self) -> bool:
        return self.status in OPEN


class MeasurementRow(NamedTuple):
    attempt_id: int
    case: str
    split: str
    profile: str
    correct: bool | None
    draws: int
    relative_rmse: float | None
    allowed_rmse: float | None
    baseline_rmse: float | None
    first_call_ms: float | None
    baseline_t_dev_ms: float | None
    candidate_t_dev_ms: float | None
    log_ratio: float | None
    log_ratio_variance: float | None
    log_ratio_df: float | None
    log_ratio_low: float | None
    log_ratio_high: float | None
    is_eligible: bool
    is_censored: bool
    is_noisy: bool
    clocks: dict[str, dict[str, Any]]


def result(result_id: int) -> ResultDetailRow | None:
    """A result. While its attempt is withheld, it has no code quality, and if an agent writes it, no candidate.

    Code quality is measured when an attempt ends, so that it is there would tell that one did.
    """
    newest = Attempt.objects.filter(withheld(), result=OuterRef("pk"), is_latest=True)
    ranked: ResultQuerySet[Result] = Result.objects.may_rank()
    rows = Result.objects.filter(pk=result_id).annotate(
        may_rank=Exists(ranked.filter(pk=OuterRef("pk"))),
        is_withheld=Exists(newest),
        in_secret=ExpressionWrapper(is_secret(run="run__"), output_field=BooleanField()),
    )
    row = rows.values_list(*_RESULT, "is_withheld", "in_secret", *OF_RESULT).first()
    if row is None:
        return None
    size = len(_RESULT)
    is_withheld, in_secret = row[size : size + 2]
    session = SessionRow(*row[size + 2 :]) if row[size + 2] is not None else None
    found = ResultDetailRow(*row[:size])._replace(session=None if in_secret else session)
    found = found._replace(code_quality=None) if is_withheld else found
    is_hidden = is_withheld and session is not None and session.attempt_number is not None
    return found._replace(candidate_digest="", candidate_files={}) if is_hidden else found


def attempts_of(result_id: int) -> list[AttemptRow]:
    """Attempts, oldest first. A withheld one looks as if it were queued."""
    unseen = UnseenEvaluation.objects.visible().filter(attempt=OuterRef("pk"), state="done")
    rows = (
        Attempt.objects.filter(result=result_id)
        .order_by("number")
        .annotate(has_unseen=Exists(unseen), is_withheld=ExpressionWrapper(withheld(), output_field=BooleanField()))
    )
    fields = (*AttemptRow._fields[:16], "host__name", *AttemptRow._fields[17:])
    return [
        _as_queued(AttemptRow(*row)) if is_withheld else AttemptRow(*row)
        for *row, is_withheld in rows.values_list(*fields, "is_withheld")
    ]


def measurements_of(result_id: int) -> dict[int, list[MeasurementRow]]:
    """Measurements by attempt, in the order of their evaluation."""
    found: dict[int, list[MeasurementRow]] = {}
    shown = Attempt.objects.public().filter(result=result_id)
    rows = Measurement.objects.filter(attempt__in=shown).order_by("attempt_id", "id")
    for row in rows.values_list(*MeasurementRow._fields):
        found.setdefault(row[0], []).append(MeasurementRow(*row))
    return found


def record(digest: str) -> Record | None:
    """The record of an attempt; None if the archive lacks it or an older version wrote it."""
    try:
        return read_record(archive.get(digest)) if digest else None
    except (archive.ArchiveError, DecodeError):
        return None


def archived(digest: str) -> bytes | None:
    try:
        return archive.get(digest)
    except archive.ArchiveError:
        return None


def unseen_record(result_id: int, number: int) -> bytes | None:
    """The record of an attempt on unseen cases, byte for byte; None until its round is revealed."""
    rows = UnseenEvaluation.objects.visible().filter(attempt__result=result_id, attempt__number=number)
    digest = rows.values_list("record_digest", flat=True).first()
    return archived(digest) if digest else None


def _as_queued(row: AttemptRow) -> AttemptRow:
    """The attempt as if it were still queued."""
    values: dict[str, Any] = dict.fromkeys(AttemptRow._fields)
    values |= dict.fromkeys(_TEXTS, "") | dict.fromkeys(("is_held", "is_uncalibrated", "has_unseen"), False)
    values |= {"status": "queued", "flags": [], "requeues": 0}
    values |= {name: getattr(row, name) for name in ("id", "number", "is_latest", "queued_at")}
    return AttemptRow(**values)


_TEXTS = ("gate", "reason", "message", "evaluator", "record_digest", "claimed_by", "requeued_because", "protocol")
_RESULT = (
    *("id", "run_id", "run__state", "run__repeat", "run__suite__name", "run__suite__version"),
    *("run__suite__is_current", "run__protocol"),
    *(f"run__{name}" for name in ("trust", "reproduced_tasks", "verified_tasks")),
    *(f"run__device_class__{name}" for name in ("slug", "title", "is_functional", "architecture")),
    *(
        f"run__configuration__{name}"
        for name in ("slug", "agent__name", "agent__slug", "agent__kind", "model__name", "role")
    ),
    *("task_id", "task__path", "task__category", "task__digest", "task__is_current", "task__editable", "task__files"),
    "task__work",
    *("audit", "candidate_digest", "candidate_files", "code_quality", "published_attempt__number", "may_rank"),
)
