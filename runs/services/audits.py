"""Audits of results, which can be taken back, submitters' replies to them, and decisions on reviews."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluator.inside.excerpts import excerpt
from evaluator.records.activity import ActivityReport, summary
from evaluator.records.reasons import Flag
from evaluator.secrets import mask_text
from runs.errors import RunError
from runs.models import AuditEntry, Result, ResultAudit, Review, Submission
from runs.models.audits import ADVERSE, VERDICTS
from runs.services.audit_log import Actor, note
from runs.services.quotes import checked_quote, sources_of

REPLY_DAYS = 14
LONGEST_TEXT = 10_000
CLEARS = ("clean", "interesting")
Action = AuditEntry.Action


@transaction.atomic
def audit_result(
    *,
    result: Result,
    verdict: str,
    reason: str,
    place: str = "",
    quote: str = "",
    activity: ActivityReport | None = None,
    actor: Actor,
) -> ResultAudit:
    """Record an audit of a result's published attempt, or of its newest. Rankings follow at once.

    Clean and interesting end a hold; hacked counts in spite of it. After suspect, hacked or contaminated the submitter
    has two weeks to reply. The quoted lines are looked up in the candidate's source. An `activity` report's figures are
    quoted before them.

    Raises:
        RunError: the verdict is unknown, the reason is missing, no attempt has ended, hacked quotes no lines, the
            source has no such lines, or the activity report is of another result.
    """
    result = _locked(result)
    attempt = result.published_attempt or result.attempts.filter(ended_at__isnull=False).order_by("-number").first()
    if verdict not in VERDICTS or not reason.strip():
        raise RunError(f"choose one of {', '.join(VERDICTS)} and give a reason, which is public")
    if attempt is None:
        raise RunError(f"no attempt of {result} has ended yet")
    if place.strip() or quote.strip():
        place, quote = checked_quote(sources_of(result), place, quote)
    if verdict == Result.Audit.HACKED and not quote:
        raise RunError("quote the lines that show it, so that readers can check")
    if activity and (activity.task.digest, activity.candidate) != (result.task.digest, result.candidate_digest):
        raise RunError("the activity report is of another task or candidate than this result")
    figures = mask_text(summary(activity)) if activity else ""
    audit = ResultAudit.objects.create(
        result=result,
        attempt=attempt,
        verdict=verdict,
        place=place[:300],
        quote=excerpt("\n\n".join(filter(None, (figures, quote))), LONGEST_TEXT),
        reason=reason.strip()[:LONGEST_TEXT],
        auditor=actor if isinstance(actor, User) else None,
        auditor_name=str(actor),
        reply_until=timezone.now() + timedelta(days=REPLY_DAYS) if verdict in ADVERSE else None,
    )
    result.audit = verdict
    result.save(update_fields=["audit"])
    if verdict in CLEARS and attempt.is_held:
        attempt.is_held = False  # the flag stays: readers still see that it was held
        attempt.save(update_fields=["is_held"])
    seen = f" (activity trace: {activity.verdict})" if activity else ""
    note(Action.AUDIT, actor, f"{verdict.replace('_', ' ')}{seen}: {audit.reason}", run=result.run, result=result)
    return audit


@transaction.atomic
def take_back_audit(*, result: Result, actor: Actor, reason: str) -> ResultAudit:
    """Take back a result's newest audit: the one before it counts again, or none, and so does a hold that it ended.

    The audit stays readable, with who took it back and why. A reply to it that waits needs no decision any more.

    Raises:
        RunError: no audit counts, or no reason is given.
    """
    result = _locked(result)
    standing = result.audits.filter(taken_back_at__isnull=True)
    audit = standing.select_related("attempt").first()
    if audit is None:
        raise RunError(f"{result} has no audit to take back")
    if not reason.strip():
        raise RunError("give a reason: it is public")
    audit.taken_back_at, audit.taken_back_by_name = timezone.now(), str(actor)
    audit.taken_back_because = reason.strip()[:LONGEST_TEXT]
    audit.save(update_fields=["taken_back_at", "taken_back_by_name", "taken_back_because"])
    before = standing.first()
    result.audit = before.verdict if before else Result.Audit.NONE
    result.save(update_fields=["audit"])
    attempt, is_cleared = audit.attempt, standing.filter(attempt=audit.attempt_id, verdict__in=CLEARS).exists()
    attempt.is_held = Flag.HOLD in attempt.flags and not is_cleared
    attempt.save(update_fields=["is_held"])
    close_reviews(reviews=audit.replies.all(), actor=actor, decision=f"The audit was taken back: {reason.strip()}")
    note(Action.AUDIT, actor, f"{audit.get_verdict_display()} taken back: {reason}", run=result.run, result=result)
    return audit


@transaction.atomic
def reply_to_audit(*, audit: ResultAudit, text: str, actor: User) -> Review:
    """Record the submitter's one reply to an audit, before `reply_until`, as a review.

    Raises:
        RunError: it is not the submitter's result, the audit was taken back, it is too late, there is a reply already,
            or the text is empty.
    """
    submission = Submission.objects.filter(run=audit.result.run_id).first()
    if submission is None or submission.submitter_id != actor.pk:
        raise RunError("only the submitter of a result can reply to its audit")
    if audit.taken_back_at is not None:
        raise RunError("this audit was taken back: there is nothing left to reply to")
    if audit.reply_until is None or audit.reply_until < timezone.now():
        raise RunError("the time to reply is over" if audit.reply_until else "this verdict takes no reply")
    if not text.strip():
        raise RunError("write a reply")
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
        raise RunError("you have replied to this audit already") from error
    note(Action.REPLY, actor, f"audit {audit.pk}", submission=submission)
    return review


@transaction.atomic
def decide_review(*, review: Review, decision: str, actor: Actor) -> Review:
    """Close a review with a public decision. What follows from it (an audit, a withdrawal) is a separate action.

    Raises:
        RunError: the review is closed already, or the decision is empty.
    """
    review = Review.objects.select_for_update(of=("self",)).select_related("submission").get(pk=review.pk)
    if review.closed_at is not None:
        raise RunError(f"{review} has been decided already")
    if not decision.strip():
        raise RunError("say what you decided and why: it is public")
    _close(review, actor, decision)
    return review


def close_reviews(*, reviews: QuerySet[Review], actor: Actor, decision: str) -> None:
    """Close those that are open, as what they ask about is gone, in the caller's transaction."""
    for review in reviews.filter(closed_at__isnull=True).select_related("submission"):
        _close(review, actor, decision)


def _close(review: Review, actor: Actor, decision: str) -> None:
    review.closed_at, review.closed_by_name = timezone.now(), str(actor)
    review.decision = decision.strip()[:LONGEST_TEXT]
    review.save(update_fields=["closed_at", "closed_by_name", "decision"])
    if review.submission is not None:
        note(Action.DECIDE, actor, f"{review}: {review.decision}", submission=review.submission)


def _locked(result: Result) -> Result:
    rows = Result.objects.select_for_update(of=("self",)).select_related("run", "task", "published_attempt")
    return rows.get(pk=result.pk)
