"""Publish runs and results, withdraw runs, and take either back. Each leaves an entry in the audit log."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluator.wording import counted
from runs.errors import RunError
from runs.models import Attempt, AuditEntry, Result, Review, Run, Submission
from runs.services import webhooks
from runs.services.audit_log import Actor, note
from runs.services.disclosure import disclose
from runs.services.run_actions import locked

MOVES = (AuditEntry.Action.PUBLISH, AuditEntry.Action.WITHDRAW)


@transaction.atomic
def publish_run(*, run: Run, actor: Actor, reason: str = "", over_questions: bool = False) -> Run:
    """Publish a run with the newest finished attempt of every result. Webhooks are told once, however many changed.

    While a review about it is open, only with `over_questions`; over one about private text never.

    Raises:
        RunError: it verifies another run, has an open attempt or none that ended, was taken down, a review about it is
            open, or another run of this repeat is published.
    """
    run, submission = _with_submission(run)
    if run.verifies_id is not None:
        raise RunError(f"{run} verifies run {run.verifies_id}: it is shown on that run's page and never published")
    open_attempts = Attempt.objects.open().filter(result__run=run).count()
    if open_attempts:
        raise RunError(f"{run} has {counted(open_attempts, 'open attempt')}: wait for them or cancel them")
    _refuse_to_show(submission, over_questions=over_questions)
    moved = _move_published(run.results.all(), actor, reason, is_told=False)
    if not run.results.filter(published_attempt__isnull=False).exists():
        raise RunError(f"{run} has no result to publish")
    if run.state != Run.State.PUBLISHED:
        run.published_at = timezone.now()
        _show(run)
        note(AuditEntry.Action.PUBLISH, actor, reason, run=run)
    elif moved:
        webhooks.announce(moved[-1], as_run=True)
    return run


@transaction.atomic
def publish_results(*, results: Iterable[Result], actor: Actor, reason: str = "") -> int:
    """Publish the newest finished attempt of each result; return how many results changed.

    Raises:
        RunError: a result's run is not published. Nothing changes.
    """
    chosen = locked(results)
    for result in chosen:
        _refuse_unpublished(result)
    return len(_move_published(chosen, actor, reason, is_told=True))


@transaction.atomic
def withdraw_run(*, run: Run, actor: Actor, reason: str) -> Run:
    """Withdraw a run from the leaderboards. Its rows and history stay.

    Raises:
        RunError: the run is not published, or no reason is given.
    """
    run = Run.objects.select_for_update().get(pk=run.pk)
    if run.state != Run.State.PUBLISHED:
        raise RunError(f"{run} is {run.get_state_display()}, not published")
    _refuse_without(reason)
    run.state = Run.State.WITHDRAWN
    run.save(update_fields=["state"])
    note(AuditEntry.Action.WITHDRAW, actor, reason, run=run)
    return run


@transaction.atomic
def undo_run(*, run: Run, actor: Actor, reason: str, over_questions: bool = False) -> Run:
    """Take back a run's newest publication or withdrawal. Its results keep their published attempts.

    A run that was public is never a draft again: taking back its publication leaves it withdrawn. Taking back its
    withdrawal publishes it, which asks of its submission what `publish_run` asks.

    Raises:
        RunError: it was never published, no reason is given, it was taken down, a review about it is open, or another
            run of this repeat has been published.
    """
    run, submission = _with_submission(run)
    last = run.audit_entries.filter(action__in=MOVES, result__isnull=True).order_by("-id").first()
    if last is None:
        raise RunError(f"{run} was never published")
    _refuse_without(reason)
    if run.state == Run.State.PUBLISHED:
        action = AuditEntry.Action.WITHDRAW
        run.state = Run.State.WITHDRAWN
        run.save(update_fields=["state"])
    else:
        action = AuditEntry.Action.PUBLISH
        _refuse_to_show(submission, over_questions=over_questions)
        _show(run)
    note(action, actor, reason, run=run, undoes=last)
    return run


@transaction.atomic
def undo_results(*, results: Iterable[Result], actor: Actor, reason: str) -> int:
    """Publish the attempt again that each result's newest publication replaced; return how many results changed.

    Raises:
        RunError: a run is not published, a publication replaced nothing, or no reason is given. Nothing changes.
    """
    _refuse_without(reason)
    chosen = locked(results)
    for result in chosen:
        _refuse_unpublished(result)
        last = result.audit_entries.filter(action=AuditEntry.Action.PUBLISH).order_by("-id").first()
        if last is None or last.from_attempt is None:
            raise RunError(f"{result} has had only one published attempt: withdraw its run to hide it")
        _move(result, last.from_attempt, actor, reason, undoes=last)
    return len(chosen)


def open_questions(submission: Submission) -> QuerySet[Review]:
    """Return the reviews of a submission that nobody has decided."""
    return submission.reviews.filter(closed_at__isnull=True)


def refuse_open_questions(submission: Submission, *, over_questions: bool) -> None:
    """
    Raises:
        RunError: a review of the submission is open, and is not to be published over.
    """
    kinds = [Review.Kind(kind).label for kind in open_questions(submission).values_list("kind", flat=True)]
    if Review.Kind.PRIVATE_TEXT.label in kinds:
        raise RunError(f"a source of {submission} may contain private text: decide that review first, at /review/")
    if kinds and not over_questions:
        asked = f"{counted(len(kinds), 'open question')} ({', '.join(kinds)})"
        raise RunError(f"{submission} has {asked}: decide at /review/, or publish on its page and say so")


def _refuse_without(reason: str) -> None:
    if not reason.strip():
        raise RunError("give a reason: it is public")


def _refuse_unpublished(result: Result) -> None:
    if result.run.state != Run.State.PUBLISHED:
        raise RunError(f"{result.run} is {result.run.get_state_display()}: publish the run first")


def _with_submission(run: Run) -> tuple[Run, Submission | None]:
    """Lock a run and its submission; that first, as a takedown does."""
    submission = Submission.objects.select_for_update().filter(run=run.pk).first()
    return Run.objects.select_for_update(of=("self",)).get(pk=run.pk), submission


def _refuse_to_show(submission: Submission | None, *, over_questions: bool) -> None:
    if submission is None:
        return
    if submission.outcome == Submission.Outcome.TAKEN_DOWN:
        raise RunError(f"{submission} was taken down: its run is never published again")
    refuse_open_questions(submission, over_questions=over_questions)


def _show(run: Run) -> None:
    run.state = Run.State.PUBLISHED
    disclose(run)
    try:
        with transaction.atomic():
            run.save(update_fields=["state", "published_at"])
    except IntegrityError as error:
        raise RunError(f"another run of {run.configuration}, repeat {run.repeat}, is already published") from error


def _move_published(results: Iterable[Result], actor: Actor, reason: str, *, is_told: bool) -> list[AuditEntry]:
    moved = []
    for result in results:
        newest = _newest_finished(result)
        if newest is None or newest.pk == result.published_attempt_id:
            continue
        moved.append(_move(result, newest, actor, reason, is_told=is_told))
    return moved


def _move(
    result: Result,
    attempt: Attempt,
    actor: Actor,
    reason: str,
    *,
    undoes: AuditEntry | None = None,
    is_told: bool = True,
) -> AuditEntry:
    """Write the entry first: without one, the database refuses to change a published attempt (runs/guards.py)."""
    entry = note(
        AuditEntry.Action.PUBLISH,
        actor,
        reason,
        is_told=is_told,
        run=result.run,
        result=result,
        from_attempt=result.published_attempt,
        to_attempt=attempt,
        undoes=undoes,
    )
    result.published_attempt = attempt
    result.save(update_fields=["published_attempt"])
    return entry


def _newest_finished(result: Result) -> Attempt | None:
    """Return the newest attempt with a verdict; an errored one only if there is no other."""
    ended = result.attempts.filter(ended_at__isnull=False).exclude(status=Attempt.Status.CANCELLED)
    newest = ended.order_by("-number")
    return newest.exclude(status=Attempt.Status.ERRORED).first() or newest.first()
