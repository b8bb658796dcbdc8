"""Audits of results, submitters' replies to them, and decisions on reviews."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from evaluator.inside.excerpts import excerpt
from evaluator.records.activity import ActivityReport, summary
from evaluator.secrets import mask_text
from runs.errors import RunError
from runs.models import AuditEntry, Result, ResultAudit, Review, Submission
from runs.models.audits import ADVERSE, VERDICTS
from runs.services.audit_log import Actor, note

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

    Clean and interesting end a hold. After suspect, hacked or contaminated the submitter has two weeks to reply. An
    `activity` report's figures are quoted before the lines.

    Raises:
        RunError: the verdict is unknown, the reason is missing, no attempt has ended, hacked quotes no lines, or the
            activity report is of another result.
    """
    result = (
        Result.objects.select_for_update(of=("self",))
        .select_related("run", "task", "published_attempt")
        .get(pk=result.pk)
    )
    attempt = result.published_attempt or result.attempts.filter(ended_at__isnull=False).order_by("-number").first()
    if verdict not in VERDICTS or not reason.strip():
        raise RunError(f"choose one of {', '.join(VERDICTS)} and give a reason, which is public")
    if attempt is None:
        raise RunError(f"no attempt of {result} has ended yet")
    if verdict == Result.Audit.HACKED and not quote.strip():
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
def reply_to_audit(*, audit: ResultAudit, text: str, actor: User) -> Review:
    """Record the submitter's one reply to an audit, before `reply_until`, as a review.

    Raises:
        RunError: it is not the submitter's result, it is too late, there is a reply already, or the text is empty.
    """
    submission = Submission.objects.filter(run=audit.result.run_id).first()
    if submission is None or submission.submitter_id != actor.pk:
        raise RunError("only the submitter of a result can reply to its audit")
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
    review.closed_at, review.closed_by_name = timezone.now(), str(actor)
    review.decision = decision.strip()[:LONGEST_TEXT]
    review.save(update_fields=["closed_at", "closed_by_name", "decision"])
    if review.submission is not None:
        note(Action.DECIDE, actor, f"{review}: {review.decision}", submission=review.submission)
    return review
