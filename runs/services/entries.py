"""What people do to runs: create, run again, pause, resume, cancel. Each leaves an entry in the trail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluator import VERSION
from evaluator.errors import TaskError, UsageError
from evaluator.tasks.candidate import Candidate
from evaluator.wording import counted
from runs import agents, candidates, job_messages
from runs.errors import RunError
from runs.models import Attempt, AuditEntry, Configuration, DeviceClass, Result, Round, Run, Suite
from runs.services.audit_log import Actor, note
from runs.services.queue_order import Turns
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
    """A draft with a result for each task of the suite, each with a first attempt in the queue.

    With a round, each candidate is tried on its unseen cases, too.

    `written` holds the candidates by the task's primary key: exactly one for each task. None: an agent of ours writes
    each in a session, before its first evaluation.

    Raises:
        RunError: a candidate is missing or belongs to no task of the suite, or a task to none of the secret round.
    """
    tasks = list(suite.tasks.all())
    if round is not None and not round.is_revealed and (other := set(tasks) - set(round.suite.tasks.all())):
        raise RunError(f"{round} was opened for {round.suite}, which lacks {', '.join(sorted(t.path for t in other))}")
    if not tasks or (written is not None and set(written) != {task.pk for task in tasks}):
        raise RunError(f"{suite} has {counted(len(tasks), 'task')}, candidates were given for {len(written or ())}")
    run = Run.objects.create(
        configuration=configuration,
        suite=suite,
        device_class=device_class,
        repeat=repeat,
        round=round,
        note=note,
        created_by=actor if isinstance(actor, User) else None,
    )
    turns = Turns()
    for task in tasks:
        candidate = written[task.pk] if written is not None else None
        known = candidates.columns(candidate, candidates.kept(candidate)) if candidate else {}
        queue_first(Result.objects.create(run=run, task=task, **known), turns)
    return run


@transaction.atomic
def rerun_results(*, results: Iterable[Result], actor: Actor, reason: str = "") -> list[Attempt]:
    """Queue a new attempt for each result that has none open. What is published stays as it is.

    It evaluates the candidate there is. Where the session of an agent ended without one, the agent works again.

    Raises:
        RunError: one of them has no candidate, its task in tasks/ is another by now, or its run is paused; nothing is
            queued.
    """
    made, turns = [], Turns()
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
        attempt = _queue(result, number=number, turn=turns.take(result.run))
        note(AuditEntry.Action.RERUN, actor, reason, detail, run=result.run, result=result, to_attempt=attempt)
        made.append(attempt)
    return made


@transaction.atomic
def rerun_failed(*, run: Run, actor: Actor, reason: str = "") -> list[Attempt]:
    """The same for each result of a run whose newest attempt ended without a pass.

    Raises:
        RunError: as `rerun_results`.
    """
    failed = run.results.filter(attempts__is_latest=True, attempts__ended_at__isnull=False)
    return rerun_results(results=failed.exclude(attempts__status="passed"), actor=actor, reason=reason)


@transaction.atomic
def cancel_results(*, results: Iterable[Result], actor: Actor, reason: str = "") -> int:
    """End every open attempt. A worker that runs one notices at its next heartbeat; its verdict counts no more."""
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
    """Let no worker take what waits of it. What runs already ends as it would have.

    Raises:
        RunError: it is paused, or nothing of it waits or runs.
    """
    run = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    if run.paused_at is not None:
        raise RunError(f"{run} is paused already")
    if not Attempt.objects.open().filter(result__run=run).exists():
        raise RunError(f"nothing of {run} waits or runs")
    run.paused_at = timezone.now()
    run.save(update_fields=["paused_at"])
    note(AuditEntry.Action.PAUSE, actor, reason, run=run)
    return run


@transaction.atomic
def resume_run(*, run: Run, actor: Actor, reason: str = "") -> Run:
    """Put what waits of it back into its place in the queue.

    Raises:
        RunError: it is not paused.
    """
    run = Run.objects.select_for_update(of=("self",)).select_related("device_class").get(pk=run.pk)
    if run.paused_at is None:
        raise RunError(f"{run} is not paused")
    run.paused_at = None
    run.save(update_fields=["paused_at"])
    for attempt_id in Attempt.objects.queued().filter(result__run=run).values_list("pk", flat=True):
        job_messages.on_commit(attempt_id=attempt_id, queue=run.device_class.architecture)
    note(AuditEntry.Action.RESUME, actor, reason, run=run)
    return run


def queue_first(result: Result, turns: Turns) -> Attempt:
    """The first attempt of a new result, for others that make runs."""
    return _queue(result, number=1, turn=turns.take(result.run))


def locked(results: Iterable[Result]) -> list[Result]:
    """Fresh rows, locked in one order, so that two people who click at once wait for each other."""
    keys = [result.pk for result in results]
    found = Result.objects.select_for_update(of=("self",)).filter(pk__in=keys).order_by("pk")
    return list(found.select_related("run__device_class", "run__configuration__agent"))


def _refuse_what_cannot_run(result: Result) -> None:
    if not result.candidate_files and not result.candidate_problems and not agents.awaits_session(result):
        raise RunError(f"{result} has no candidate that could be evaluated again")
    try:
        candidates.spec_of(result.task)
    except (TaskError, UsageError) as error:
        raise RunError(f"{result} cannot be evaluated again: {error}") from error


def _queue(result: Result, *, number: int, turn: int) -> Attempt:
    now = timezone.now()
    place = {"queued_at": now, "woken_at": now, "turn": turn}
    attempt = Attempt.objects.create(result=result, number=number, wanted_evaluator=VERSION, **place)
    job_messages.on_commit(attempt_id=attempt.pk, queue=result.run.device_class.architecture)
    return attempt
