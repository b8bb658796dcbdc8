"""What people do to runs: create, run again, cancel, publish, withdraw. Each leaves an entry in the trail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from evaluator.candidate import Candidate
from evaluator.errors import TaskError, UsageError
from runs import agents, candidates, wake
from runs.errors import RunError
from runs.models import Attempt, AuditEntry, Configuration, DeviceClass, Result, Review, Round, Run, Suite
from runs.services.trail import Actor, note


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
        raise RunError(f"{suite} has {len(tasks)} tasks, candidates were given for {len(written or ())}")
    run = Run.objects.create(
        configuration=configuration,
        suite=suite,
        device_class=device_class,
        repeat=repeat,
        round=round,
        note=note,
        created_by=actor if isinstance(actor, User) else None,
    )
    for task in tasks:
        candidate = written[task.pk] if written is not None else None
        known = candidates.columns(candidate, candidates.kept(candidate)) if candidate else {}
        queue_first(Result.objects.create(run=run, task=task, **known))
    return run


@transaction.atomic
def rerun_results(*, results: Iterable[Result], actor: Actor, reason: str = "") -> list[Attempt]:
    """Queue a new attempt for each result that has none open. What is published stays as it is.

    Raises:
        RunError: one of them has no candidate, or its task in tasks/ is another by now; nothing is queued.
    """
    made = []
    for result in _locked(results):
        latest = result.attempts.filter(is_latest=True).first()
        if latest is not None and latest.is_open:
            continue
        _refuse_what_cannot_run(result)
        result.attempts.filter(is_latest=True).update(is_latest=False)
        number = latest.number + 1 if latest else 1
        attempt = _queue(result, number=number, architecture=result.run.device_class.architecture)
        note(AuditEntry.Action.RERUN, actor, reason, run=result.run, result=result, to_attempt=attempt)
        made.append(attempt)
    return made


@transaction.atomic
def cancel_results(*, results: Iterable[Result], actor: Actor, reason: str = "") -> int:
    """End every open attempt. A worker that runs one notices at its next heartbeat; its verdict counts no more."""
    ended = 0
    for result in _locked(results):
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
def publish_run(*, run: Run, actor: Actor, reason: str = "") -> Run:
    """Put a run on the boards with the newest answer of every result.

    Raises:
        RunError: it verifies another, an attempt is still open, nothing was answered, or another run of this repeat is
            published.
    """
    run = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    if run.verifies_id is not None:
        raise RunError(f"{run} verifies run {run.verifies_id}: it stands on that run's page, never on a board")
    open_attempts = Attempt.objects.open().filter(result__run=run).count()
    if open_attempts:
        raise RunError(f"{run} has {open_attempts} open attempts: wait for them or cancel them")
    if Review.objects.filter(submission__run=run, kind=Review.Kind.PRIVATE_TEXT, closed_at__isnull=True).exists():
        raise RunError(f"a source of {run} may hold something private: decide that question first")
    _move_published(run.results.all(), actor, reason)
    if not run.results.filter(published_attempt__isnull=False).exists():
        raise RunError(f"{run} has no result to publish")
    if run.state != Run.State.PUBLISHED:
        run.state, run.published_at = Run.State.PUBLISHED, timezone.now()
        try:
            with transaction.atomic():
                run.save(update_fields=["state", "published_at"])
        except IntegrityError as error:
            raise RunError(f"another run of {run.configuration}, repeat {run.repeat}, is published") from error
        note(AuditEntry.Action.PUBLISH, actor, reason, run=run)
    return run


@transaction.atomic
def publish_results(*, results: Iterable[Result], actor: Actor, reason: str = "") -> int:
    """Let each result of a published run show its newest answer; how many changed.

    Raises:
        RunError: a run is not published, so none of its results can be.
    """
    chosen = _locked(results)
    for result in chosen:
        if result.run.state != Run.State.PUBLISHED:
            raise RunError(f"{result.run} is {result.run.get_state_display()}: publish the run")
    return _move_published(chosen, actor, reason)


@transaction.atomic
def withdraw_run(*, run: Run, actor: Actor, reason: str) -> Run:
    """Take a run off the boards. Its rows and its history stay.

    Raises:
        RunError: it is not published, or no reason is given.
    """
    run = Run.objects.select_for_update().get(pk=run.pk)
    if run.state != Run.State.PUBLISHED:
        raise RunError(f"{run} is {run.get_state_display()}, not published")
    if not reason.strip():
        raise RunError("say why it is withdrawn: the reason is public")
    run.state = Run.State.WITHDRAWN
    run.save(update_fields=["state"])
    note(AuditEntry.Action.WITHDRAW, actor, reason, run=run)
    return run


def queue_first(result: Result) -> Attempt:
    """The first attempt of a new result, for others that make runs."""
    return _queue(result, number=1, architecture=result.run.device_class.architecture)


def _refuse_what_cannot_run(result: Result) -> None:
    if not result.candidate_files and not result.candidate_problems and not agents.awaits_session(result):
        raise RunError(f"{result} has no candidate that could be evaluated again")
    try:
        candidates.spec_of(result.task)
    except (TaskError, UsageError) as error:
        raise RunError(f"{result} cannot be evaluated again: {error}") from error


def _queue(result: Result, *, number: int, architecture: str) -> Attempt:
    now = timezone.now()
    attempt = Attempt.objects.create(result=result, number=number, queued_at=now, woken_at=now)
    wake.on_commit(attempt_id=attempt.pk, queue=architecture)
    return attempt


def _move_published(results: Iterable[Result], actor: Actor, reason: str) -> int:
    moved = 0
    for result in results:
        newest = _newest_answer(result)
        if newest is None or newest.pk == result.published_attempt_id:
            continue
        before, result.published_attempt = result.published_attempt, newest
        result.save(update_fields=["published_attempt"])
        note(
            AuditEntry.Action.PUBLISH,
            actor,
            reason,
            run=result.run,
            result=result,
            from_attempt=before,
            to_attempt=newest,
        )
        moved += 1
    return moved


def _newest_answer(result: Result) -> Attempt | None:
    """The newest attempt that ended with a verdict; one of our own faults only where nothing better was ever shown."""
    ended = result.attempts.filter(ended_at__isnull=False).exclude(status=Attempt.Status.CANCELLED)
    newest = ended.order_by("-number")
    return newest.exclude(status=Attempt.Status.ERRORED).first() or newest.first()


def _locked(results: Iterable[Result]) -> list[Result]:
    """Fresh rows, locked in one order, so that two people who click at once wait for each other."""
    keys = [result.pk for result in results]
    found = Result.objects.select_for_update(of=("self",)).filter(pk__in=keys).order_by("pk")
    return list(found.select_related("run__device_class", "run__configuration__agent"))
