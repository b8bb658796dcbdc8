"""Evaluations on unseen cases, which a worker runs after the verdict on the seen cases, under the same lease.

The cases are computed from the round's secret when the evaluation begins, and exist only in the worker's memory. A
fault here leaves the evaluation incomplete but never costs the verdict on the seen cases.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import transaction
from django.db.models.functions import Now

from evaluator import codec
from evaluator.tasks.float8 import runs_on
from evaluator.tasks.spec import TaskSpec
from evaluator.unseen import record as unseen_records
from evaluator.unseen.cases import UnseenCase
from evaluator.unseen.generate import GENERATOR_VERSION, core_cases
from evaluator.unseen.record import UnseenRecord
from runs import archive, candidates, redaction, verdicts
from runs.errors import RunError
from runs.models import DeviceClass, Round, Run, UnseenEvaluation, UnseenMeasurement
from runs.services.leases import Lease, leased

MOST_EVALUATIONS = 3  # of one configuration on one task and device class in one round
State = UnseenEvaluation.State


@dataclass(frozen=True, slots=True)
class UnseenJob:
    """The unseen cases of one evaluation. Its repr does not show them."""

    evaluation_id: int
    round_hash: str
    generator: str
    cases: tuple[UnseenCase, ...] = field(repr=False)


@transaction.atomic
def begin_unseen(*, lease: Lease) -> UnseenJob | None:
    """Start the evaluation of the leased attempt's candidate on unseen cases; return the cases.

    Return None if there is nothing to do: the run has no round, the lease is lost, the attempt or an identical
    candidate has an outcome, or the configuration has used up its evaluations. There is no second try after a worker
    was lost, either: the candidate may have caused that, and the verdict on the seen cases matters more.
    """
    attempt = leased(lease).select_related("result__task", "result__run__round", "result__run__device_class").first()
    if attempt is None or attempt.result.run.round is None:
        return None
    if before := UnseenEvaluation.objects.filter(attempt=attempt).first():
        if before.state == State.RUNNING:
            _fail(before, "a worker was lost during this evaluation")
        return None
    round = attempt.result.run.round
    evaluation = UnseenEvaluation.objects.create(attempt=attempt, round=round, begun_at=Now())
    if _is_reused(evaluation) or _is_refused(evaluation):
        return None
    spec = candidates.spec_of(attempt.result.task)
    cases = cases_of(round, spec, attempt.result.run.device_class)
    return UnseenJob(evaluation.pk, round.secret_hash, round.generator_version, cases)


@transaction.atomic
def record_unseen(*, lease: Lease, job: UnseenJob, record: UnseenRecord) -> bool:
    """Store the outcome of the unseen cases. Return False, and store nothing, if the lease is lost.

    Raises:
        codec.DecodeError: the record contradicts itself.
        RunError: the record is of another round, task, candidate or of other cases.
    """
    attempt = leased(lease).select_related("result__task").first()
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
def fail_unseen(*, lease: Lease, because: str) -> None:
    """End the running evaluation as errored, after a fault of ours."""
    running = UnseenEvaluation.objects.filter(attempt__in=leased(lease), state=State.RUNNING)
    if evaluation := running.first():
        _fail(evaluation, because)


def cases_of(round: Round, task: TaskSpec, device_class: DeviceClass) -> tuple[UnseenCase, ...]:
    """Return the unseen cases of one task in a round that a device class has the dtypes for.

    Raises:
        RunError: another generator version opened the round.
        TaskError: the task's contract has no room for a case.
    """
    if round.generator_version != GENERATOR_VERSION:
        raise RunError(f"{round} was opened with generator {round.generator_version}; this is {GENERATOR_VERSION}")
    cases = core_cases(task, round.secret.encode(), "small" if device_class.is_functional else "full")
    return tuple(one for one in cases if runs_on(task, one.case, device_class.architecture))


def store(evaluation: UnseenEvaluation, record: UnseenRecord, text: bytes) -> None:
    """Store the record in the archive and its cases as rows, in the caller's transaction."""
    evaluation.state = State.DONE
    evaluation.is_complete = all(case.quadrant != "evaluation_error" for case in record.cases)
    evaluation.record_digest = archive.put(text)
    _store_cases(evaluation, verdicts.unseen_measurements(evaluation, record))


def _store_cases(evaluation: UnseenEvaluation, cases: list[UnseenMeasurement]) -> None:
    for name, value in verdicts.unseen_columns(cases).items():
        setattr(evaluation, name, value)
    evaluation.save()
    UnseenMeasurement.objects.bulk_create(cases)


def _is_reused(evaluation: UnseenEvaluation) -> bool:
    """Reuse the complete outcome of the identical candidate in the same round and device class, if there is one."""
    result = evaluation.attempt.result
    same = UnseenEvaluation.objects.filter(
        round=evaluation.round,
        is_complete=True,
        reused_from__isnull=True,
        attempt__result__task=result.task,
        attempt__result__run__origin=Run.Origin.RUN_HERE,  # imported outcomes are never reused
        attempt__result__candidate_digest=result.candidate_digest,
        attempt__result__run__device_class=result.run.device_class,
    )
    known = same.first() if result.candidate_digest else None
    if known is None:
        return False
    evaluation.state, evaluation.is_complete = State.DONE, True
    evaluation.record_digest, evaluation.reused_from = known.record_digest, known
    rows = list(known.cases.all())
    for row in rows:
        row.pk, row.evaluation = None, evaluation
    _store_cases(evaluation, rows)
    return True


def _is_refused(evaluation: UnseenEvaluation) -> bool:
    """Refuse the evaluation if the configuration has used up its number. Errored and reused ones do not count."""
    result = evaluation.attempt.result
    had = UnseenEvaluation.objects.filter(
        round=evaluation.round,
        state=State.DONE,
        reused_from__isnull=True,
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
    evaluation.state, evaluation.message = State.ERRORED, redaction.redacted(because) or "no reason was given"
    evaluation.save()
