"""Actions on runs: create, run again, pause, resume, cancel. All but creation leave an entry in the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluator import VERSION
from evaluator.errors import TaskError, UsageError
from evaluator.records.record import PROTOCOL
from evaluator.tasks.candidate import Candidate
from evaluator.wording import counted
from runs import agents, candidates, job_messages
from runs.errors import RunError
from runs.models import Attempt, AuditEntry, Configuration, DeviceClass, Result, Round, Run, Suite
from runs.services.audit_log import Actor, note
from runs.services.queue_order import QueuePositions
from runs.services.replaced import replace_session


@transaction.atomic
def create_run(
    *,
    configuration: Configuration,
    suite: Suite,
    device_class: DeviceClass,
    written: Mapping[int, Candidate] | None,
    repeat: int = 0,
    round: Round | None = None,
    actor: Actor,
    note: str = "",
) -> Run:
    """Create a draft with a result for each task of the suite, and queue a first attempt for each.

    With a round, candidates are also evaluated on its unseen cases.

    `written` holds exactly one candidate for each task, by the task's primary key. None: a built-in agent writes each
    in a session before its first evaluation.

    Raises:
        RunError: the candidates are not exactly those of the suite's tasks, or the secret round lacks one of the tasks.
    """
    tasks = list(suite.tasks.all())
    if round is not None and not round.is_revealed and (other := set(tasks) - set(round.suite.tasks.all())):
        raise RunError(f"{round} was opened for {round.suite}, which lacks {', '.join(sorted(t.path for t in other))}")
    if not tasks or (written is not None and set(written) != {task.pk for task in tasks}):
        raise RunError(f"{suite} has {counted(len(tasks), 'task')}, but candidates were given for {len(written or ())}")
    run = Run.objects.create(
        configuration=configuration,
        suite=suite,
        device_class=device_class,
        repeat=repeat,
        round=round,
        protocol=PROTOCOL,
        note=note,
        created_by=actor if isinstance(actor, User) else None,
    )
    positions = QueuePositions()
    for task in tasks:
        candidate = written[task.pk] if written is not None else None
        known = candidates.columns(candidate, candidates.archive_sources(candidate)) if candidate else {}
        queue_first(Result.objects.create(run=run, task=task, **known), positions)
    return run


@transaction.atomic
def rerun_results(*, results: Iterable[Result], actor: Actor, reason: str = "") -> list[Attempt]:
    """Queue a new attempt for each result that has none open; return the attempts. What is published does not change.

    The attempt evaluates the same candidate. If an agent's session ended without one, the agent works again.

    Raises:
        RunError: a result has no candidate, its task or the timing protocol has changed, or its run is paused. Nothing
            is queued.
    """
    made, positions = [], QueuePositions()
    for result in locked(results):
        latest = result.attempts.filter(is_latest=True).first()
        if latest is not None and latest.is_open:
            continue
        if result.run.paused_at is not None:
            raise RunError(f"{result.run} is paused: resume it first")
        detail = replace_session(result)
        _refuse_what_cannot_run(result)
        result.attempts.filter(is_latest=True).update(is_latest=False)
        number = latest.number + 1 if latest else 1
        attempt = _queue(result, number=number, position=positions.next_for(result.run))
        note(AuditEntry.Action.RERUN, actor, reason, detail, run=result.run, result=result, to_attempt=attempt)
        made.append(attempt)
    return made


@transaction.atomic
def rerun_failed(*, run: Run, actor: Actor, reason: str = "") -> list[Attempt]:
    """Run again every result of a run whose newest attempt ended without passing; return the attempts.

    Raises:
        RunError: as `rerun_results`.
    """
    return rerun_results(results=failed_results(run), actor=actor, reason=reason)


def failed_results(run: Run) -> QuerySet[Result]:
    """Return the run's results whose newest attempt ended without passing."""
    failed = Attempt.objects.newest().filter(ended_at__isnull=False).exclude(status=Attempt.Status.PASSED)
    return run.results.filter(attempts__in=failed)


@transaction.atomic
def cancel_results(*, results: Iterable[Result], actor: Actor, reason: str = "") -> int:
    """Cancel every open attempt of the results; return how many.

    A worker that runs one notices at its next heartbeat, and its verdict is not stored.
    """
    ended = 0
    for result in locked(results):
        attempts = result.attempts.open()
        for attempt in attempts:
            changed = attempts.filter(pk=attempt.pk).update(
                status=Attempt.Status.CANCELLED, ended_at=timezone.now(), lease_until=None
            )
            if changed:
                note(AuditEntry.Action.CANCEL, actor, reason, run=result.run, result=result, from_attempt=attempt)
            ended += changed
    return ended


@transaction.atomic
def pause_run(*, run: Run, actor: Actor, reason: str = "") -> Run:
    """Keep workers from taking the run's queued attempts. Running attempts continue.

    Raises:
        RunError: the run is paused already, or has no open attempt.
    """
    run = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    if run.paused_at is not None:
        raise RunError(f"{run} is paused already")
    if not Attempt.objects.open().filter(result__run=run).exists():
        raise RunError(f"{run} has no open attempt")
    run.paused_at = timezone.now()
    run.save(update_fields=["paused_at"])
    note(AuditEntry.Action.PAUSE, actor, reason, run=run)
    return run


@transaction.atomic
def resume_run(*, run: Run, actor: Actor, reason: str = "") -> Run:
    """Let workers take the run's queued attempts again, in their old place in the queue.

    Raises:
        RunError: the run is not paused.
    """
    run = Run.objects.select_for_update(of=("self",)).select_related("device_class").get(pk=run.pk)
    if run.paused_at is None:
        raise RunError(f"{run} is not paused")
    run.paused_at = None
    run.save(update_fields=["paused_at"])
    for attempt_id in Attempt.objects.queued().filter(result__run=run).values_list("pk", flat=True):
        job_messages.send_evaluate_on_commit(attempt_id=attempt_id, queue=run.device_class.architecture)
    note(AuditEntry.Action.RESUME, actor, reason, run=run)
    return run


def queue_first(result: Result, positions: QueuePositions) -> Attempt:
    """Queue the first attempt of a new result, in the caller's transaction."""
    return _queue(result, number=1, position=positions.next_for(result.run))


def locked(results: Iterable[Result]) -> list[Result]:
    """Return fresh rows, locked in order of their ids, so that simultaneous actions wait for each other."""
    keys = [result.pk for result in results]
    found = Result.objects.select_for_update(of=("self",)).filter(pk__in=keys).order_by("pk")
    return list(found.select_related("run__device_class", "run__configuration__agent"))


def _refuse_what_cannot_run(result: Result) -> None:
    if result.run.protocol != PROTOCOL:
        raise RunError(
            f"{result} belongs to a leaderboard of {result.run.protocol}, and this evaluator times by {PROTOCOL}: "
            f"start a new run of {result.run.configuration} instead"
        )
    if not result.candidate_files and not result.candidate_problems and not agents.needs_session(result):
        raise RunError(f"{result} has no candidate that could be evaluated again")
    try:
        candidates.spec_of(result.task)
    except (TaskError, UsageError) as error:
        raise RunError(f"{result} cannot be evaluated again: {error}") from error


def _queue(result: Result, *, number: int, position: int) -> Attempt:
    now = timezone.now()
    place = {"queued_at": now, "message_sent_at": now, "queue_position": position}
    attempt = Attempt.objects.create(result=result, number=number, wanted_evaluator=VERSION, **place)
    job_messages.send_evaluate_on_commit(attempt_id=attempt.pk, queue=result.run.device_class.architecture)
    return attempt
