"""What people find: audits of results, answers to them, and decisions on what waits in the review queue."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from runs.errors import RunError
from runs.models import AuditEntry, Result, ResultAudit, Review, Submission
from runs.models.audits import ADVERSE, VERDICTS
from runs.services.audit_log import Actor, note

ANSWER_DAYS = 14
LONGEST_TEXT = 10_000
CLEARS = ("clean", "interesting")
Action = AuditEntry.Action


@transaction.atomic
def audit_result(
    *, result: Result, verdict: str, reason: str, place: str = "", quote: str = "", actor: Actor
) -> ResultAudit:
    """Say what somebody found in a result's public answer, or its newest. Ranks follow at once; the history stays.

    Clean and interesting end a hold. After suspect, hacked or contaminated the submitter has two weeks to answer.

    Raises:
        RunError: an unknown verdict, no reason, no answer to look at, or hacked without a quoted line.
    """
    result = Result.objects.select_for_update(of=("self",)).select_related("run", "published_attempt").get(pk=result.pk)
    attempt = result.published_attempt or result.attempts.filter(ended_at__isnull=False).order_by("-number").first()
    if verdict not in VERDICTS or not reason.strip():
        raise RunError(f"an audit is one of {', '.join(VERDICTS)}, with a reason: it is public")
    if attempt is None:
        raise RunError(f"{result} has no answer yet")
    if verdict == Result.Audit.HACKED and not quote.strip():
        raise RunError("quote the lines that show it: who reads it has to be able to check")
    audit = ResultAudit.objects.create(
        result=result,
        attempt=attempt,
        verdict=verdict,
        place=place[:300],
        quote=quote[:LONGEST_TEXT],
        reason=reason.strip()[:LONGEST_TEXT],
        auditor=actor if isinstance(actor, User) else None,
        auditor_name=str(actor),
        answer_until=timezone.now() + timedelta(days=ANSWER_DAYS) if verdict in ADVERSE else None,
    )
    result.audit = verdict
    result.save(update_fields=["audit"])
    if verdict in CLEARS and attempt.is_held:
        attempt.is_held = False  # its flag stays: a reader still sees that it was held
        attempt.save(update_fields=["is_held"])
    note(Action.AUDIT, actor, f"{verdict.replace('_', ' ')}: {audit.reason}", run=result.run, result=result)
    return audit


@transaction.atomic
def answer_audit(*, audit: ResultAudit, text: str, actor: User) -> Review:
    """The submitter's answer, once, within the time that the audit gives.

    Raises:
        RunError: somebody else's result, too late, answered already, or nothing is said.
    """
    submission = Submission.objects.filter(run=audit.result.run_id).first()
    if submission is None or submission.submitter_id != actor.pk:
        raise RunError("only the submitter of a result answers to its audit")
    if audit.answer_until is None or audit.answer_until < timezone.now():
        raise RunError("this audit can be answered no more" if audit.answer_until else "there is nothing to answer")
    if not text.strip():
        raise RunError("an answer needs a text")
    try:
        with transaction.atomic():
            review = Review.objects.create(
                kind=Review.Kind.APPEAL,
                submission=submission,
                audit=audit,
                detail=text.strip()[:LONGEST_TEXT],
                opened_by_name=actor.get_username(),
            )
    except IntegrityError as error:
        raise RunError("this audit was answered already") from error
    note(Action.ANSWER, actor, f"audit {audit.pk}", submission=submission)
    return review


@transaction.atomic
def decide_review(*, review: Review, decision: str, actor: Actor) -> Review:
    """Close a question with a public sentence. What follows from it (an audit, a withdrawal) is an act of its own.

    Raises:
        RunError: it is closed already, or nothing is said.
    """
    review = Review.objects.select_for_update(of=("self",)).select_related("submission").get(pk=review.pk)
    if review.closed_at is not None:
        raise RunError(f"{review} was decided already")
    if not decision.strip():
        raise RunError("say what was decided and why: it is public")
    review.closed_at, review.closed_by_name = timezone.now(), str(actor)
    review.decision = decision.strip()[:LONGEST_TEXT]
    review.save(update_fields=["closed_at", "closed_by_name", "decision"])
    if review.submission is not None:
        note(Action.DECIDE, actor, f"{review}: {review.decision}", submission=review.submission)
    return review
