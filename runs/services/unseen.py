"""A worker's side of the unseen cases: after the seen verdict, before it is written, under the same claim.

The cases of one job are computed from the round's secret when it begins, and live in the worker's memory only. What
goes wrong here makes the entry incomplete and never costs the seen verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import transaction
from django.db.models.functions import Now

from evaluator import codec
from evaluator.tasks.spec import TaskSpec
from evaluator.unseen import record as unseen_records
from evaluator.unseen.cases import UnseenCase
from evaluator.unseen.generate import GENERATOR_VERSION, core_cases
from evaluator.unseen.record import UnseenRecord
from runs import archive, candidates, redaction, verdicts
from runs.errors import RunError
from runs.models import DeviceClass, Round, Run, UnseenEvaluation, UnseenMeasurement
from runs.services.claims import Lease, held

MOST_EVALUATIONS = 3  # of one configuration, on one task, in one round
State = UnseenEvaluation.State


@dataclass(frozen=True, slots=True)
class UnseenJob:
    """The cases of one evaluation. Nothing of them is ever printed."""

    evaluation_id: int
    round_hash: str
    generator: str
    cases: tuple[UnseenCase, ...] = field(repr=False)


@transaction.atomic
def begin_unseen(*, claim: Lease) -> UnseenJob | None:
    """The unseen cases that the claimed attempt's candidate is to be tried on now.

    None: its run has no round, the claim is lost, or there is an answer already: of this attempt, of the identical
    candidate, or that the configuration has had its evaluations. A second try after a worker was lost is none, either:
    what lost it may do so again, and the seen verdict is worth more.
    """
    attempt = held(claim).select_related("result__task", "result__run__round", "result__run__device_class").first()
    if attempt is None or attempt.result.run.round is None:
        return None
    if before := UnseenEvaluation.objects.filter(attempt=attempt).first():
        if before.state == State.RUNNING:
            _fail(before, "a worker was lost while it ran")
        return None
    round = attempt.result.run.round
    evaluation = UnseenEvaluation.objects.create(attempt=attempt, round=round, begun_at=Now())
    if _is_answered(evaluation) or _is_refused(evaluation):
        return None
    spec = candidates.spec_of(attempt.result.task)
    cases = cases_of(round, spec, attempt.result.run.device_class)
    return UnseenJob(evaluation.pk, round.secret_hash, round.generator_version, cases)


@transaction.atomic
def record_unseen(*, claim: Lease, job: UnseenJob, record: UnseenRecord) -> bool:
    """Store what became of the cases. False, and nothing is written, if the claim is lost.

    Raises:
        codec.DecodeError: the record contradicts itself.
        RunError: it is of another round, other cases or another candidate.
    """
    attempt = held(claim).select_related("result__task").first()
    if attempt is None:
        return False
    record = redaction.without_secrets(record)
    if problems := unseen_records.problems_of(record):
        raise codec.DecodeError(problems)
    result = attempt.result
    asked = (job.round_hash, result.task.digest, sorted(case.case.id for case in job.cases))
    if (record.round, record.task.digest, sorted(case.id for case in record.cases)) != asked:
        raise RunError("the record is of another round, task or other cases than were asked for")
    if result.candidate_digest and record.candidate.digest != result.candidate_digest:
        raise RunError("the record is of another candidate")
    evaluation = UnseenEvaluation.objects.get(pk=job.evaluation_id, attempt=attempt)
    store(evaluation, record, codec.dumps(record).encode())
    return True


@transaction.atomic
def fail_unseen(*, claim: Lease, because: str) -> None:
    """Our fault, whatever was raised: the evaluation has no answer, its entry is incomplete."""
    running = UnseenEvaluation.objects.filter(attempt__in=held(claim), state=State.RUNNING)
    if evaluation := running.first():
        _fail(evaluation, because)


def cases_of(round: Round, task: TaskSpec, device_class: DeviceClass) -> tuple[UnseenCase, ...]:
    """The cases of one task in a round.

    Raises:
        RunError: another generator made the round's cases.
        TaskError: the task's contract leaves no room for one.
    """
    if round.generator_version != GENERATOR_VERSION:
        raise RunError(f"{round} was opened with the generator {round.generator_version}, this is {GENERATOR_VERSION}")
    return core_cases(task, round.secret.encode(), "small" if device_class.is_functional else "full")


def store(evaluation: UnseenEvaluation, record: UnseenRecord, text: bytes) -> None:
    """The record into the archive, its cases into rows."""
    evaluation.state = State.DONE
    evaluation.is_complete = all(case.quadrant != "evaluation_error" for case in record.cases)
    evaluation.record_digest = archive.put(text)
    evaluation.save()
    UnseenMeasurement.objects.bulk_create(verdicts.unseen_measurements(evaluation, record))


def _is_answered(evaluation: UnseenEvaluation) -> bool:
    """By the complete answer of the identical candidate: same round, task and device class."""
    result = evaluation.attempt.result
    same = UnseenEvaluation.objects.filter(
        round=evaluation.round,
        is_complete=True,
        answered_by__isnull=True,
        attempt__result__task=result.task,
        attempt__result__run__origin=Run.Origin.RUN_HERE,  # what is claimed elsewhere answers nothing here
        attempt__result__candidate_digest=result.candidate_digest,
        attempt__result__run__device_class=result.run.device_class,
    )
    answer = same.first() if result.candidate_digest else None
    if answer is None:
        return False
    evaluation.state, evaluation.is_complete = State.DONE, True
    evaluation.record_digest, evaluation.answered_by = answer.record_digest, answer
    evaluation.save()
    rows = list(answer.cases.all())
    for row in rows:
        row.pk, row.evaluation = None, evaluation
    UnseenMeasurement.objects.bulk_create(rows)
    return True


def _is_refused(evaluation: UnseenEvaluation) -> bool:
    """Has the configuration had its evaluations? Those that errored, or repeat an answer, do not count."""
    result = evaluation.attempt.result
    had = UnseenEvaluation.objects.filter(
        round=evaluation.round,
        state=State.DONE,
        answered_by__isnull=True,
        attempt__result__task=result.task,
        attempt__result__run__origin=Run.Origin.RUN_HERE,
        attempt__result__run__configuration=result.run.configuration_id,
        attempt__result__run__device_class=result.run.device_class,
    ).count()
    if had < MOST_EVALUATIONS:
        return False
    evaluation.state = State.REFUSED
    evaluation.save()
    return True


def _fail(evaluation: UnseenEvaluation, because: str) -> None:
    evaluation.state, evaluation.message = State.ERRORED, redaction.shown(because) or "no reason was given"
    evaluation.save()
