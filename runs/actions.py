"""What people do by hand to a run, result or submission: each action with its right, its effect and its service.

The pages of these rows (`submissions.acting`) and the admin offer the same actions. Each takes a reason, and each but
`check_again` can be taken back, which it says itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet

from evaluator.records.record import PROTOCOL
from runs.errors import RunError
from runs.models import Attempt, Result, Run, Submission
from runs.numbers import is_row
from runs.services import audits, publishing, run_actions, submissions, verification

TAKEN_DOWN = Submission.Outcome.TAKEN_DOWN


@dataclass(frozen=True, slots=True)
class RowAction:
    """An action on one row. `do` takes the row with `actor`, `reason` and what `asks` names; it returns the changes."""

    name: str
    title: str
    right: str  # a name in people.rights.RIGHTS
    effect: str  # shown before it is confirmed
    done: tuple[str, str]  # the message after 1 change, and after any other number
    do: Callable[[Any, dict[str, Any]], int]
    undo: str = ""  # how it is taken back; shown before it is confirmed, too
    fits: Callable[[Any], bool] = lambda row: True  # whether the row's page offers it now
    asks: tuple[str, ...] = ()  # what the page asks beside a reason


def carry_out(row: Any, action: RowAction, asked: dict[str, Any], newest: str) -> int:
    """Act on a row with all that was asked; `newest` is its last audit entry when the confirmation page was shown.

    Raises:
        RunError: no reason is given, or the row has newer entries: a form sent twice would take back what it has done.
    """
    if not asked["reason"].strip():
        raise RunError("give a reason: the audit log shows it, with your name")
    with transaction.atomic():
        refuse_if_changed(row, newest)
        return int(action.do(row, asked))


def newest_entry(row: Any) -> int:
    """Return the row's last audit entry, which its form sends back; 0 if there is none."""
    return int(row.audit_entries.order_by("-pk").values_list("pk", flat=True).first() or 0)


def refuse_if_changed(row: Any, newest: str) -> None:
    """Lock a row in the caller's transaction.

    Raises:
        RunError: it has entries after `newest`, the last one when its form was shown.
    """
    if is_row(newest):
        locked = type(row)._base_manager.select_for_update().get(pk=row.pk)
        if locked.audit_entries.filter(pk__gt=int(newest)).exists():
            raise RunError(f"{row} has changed since you opened this page: check it again")


def _may_queue(run: Run) -> bool:
    return run.protocol == PROTOCOL and run.paused_at is None


def _is_open(run: Run) -> bool:
    return Attempt.objects.open().filter(result__run=run).exists()


def _has_newer(attempts: QuerySet[Attempt]) -> bool:
    """Return whether one of the attempts has a verdict and is newer than the published one of its result."""
    is_newer = Q(number__gt=F("result__published_attempt__number")) | Q(result__published_attempt__isnull=True)
    judged = attempts.filter(is_newer, ended_at__isnull=False)
    return judged.exclude(status__in=(Attempt.Status.CANCELLED, Attempt.Status.ERRORED)).exists()


def _result_has_open(result: Result) -> bool:
    return result.attempts.open().exists()


def _counting_audits(result: Result) -> bool:
    return result.audits.filter(taken_back_at__isnull=True).exists()


def _is_being_verified(submission: Submission) -> bool:
    run = submission.run
    return run is not None and run.verifications.filter(closed_at__isnull=True).exists()


def _may_be_verified(submission: Submission) -> bool:
    has_run = submission.run is not None and submission.state in verification.COMPARED
    return has_run and submission.outcome != TAKEN_DOWN and not _is_being_verified(submission)


def _may_be_shown(run: Run) -> bool:
    """Return whether the run may be published at all: not one that verifies another, nor one that was taken down."""
    return run.verifies_id is None and not Submission.objects.filter(run=run, outcome=TAKEN_DOWN).exists()


def _last_replaced(result: Result) -> bool:
    """Return whether the newest publication of the result replaced another attempt."""
    last = result.audit_entries.filter(action="publish").order_by("-id").first()
    return result.run.state == Run.State.PUBLISHED and last is not None and last.from_attempt_id is not None


UNCHANGED = "queued; what is public changes only when you publish"
QUEUED = (f"attempt {UNCHANGED}", f"attempts {UNCHANGED}")
RERUNNING = (
    "A new attempt is queued for each result. What is public changes only when you publish the new attempt. An agent"
    " whose session ended without a candidate works again, which may cost money; if the run was public, it does not:"
    " start a run with another repeat instead."
)
CANCELLING = "Queued attempts end at once, running ones at the worker's next heartbeat. Their verdicts are not stored."
CANCELLED = ("attempt cancelled", "attempts cancelled")
BY_CANCELLING = "“Cancel open attempts”, until they have ended."
BY_RUNNING_AGAIN = "“Run again” queues new attempts, at the end of the queue."

RUN_ACTIONS = (
    RowAction(
        "publish",
        "Publish",
        "publish",
        "The run becomes public on the leaderboards, with the newest finished attempt of each result.",
        ("run published", "runs published"),
        lambda run, asked: bool(publishing.publish_run(run=run, **asked)),
        undo="“Withdraw” takes it off the leaderboards; its page and history stay public.",
        fits=lambda run: (
            _may_be_shown(run)
            and not _is_open(run)
            and (run.state != Run.State.PUBLISHED or _has_newer(Attempt.objects.filter(result__run=run)))
        ),
        asks=("over_questions",),
    ),
    RowAction(
        "withdraw",
        "Withdraw",
        "publish",
        "The run leaves the leaderboards. Its page and history stay public, with your reason.",
        ("run withdrawn", "runs withdrawn"),
        lambda run, asked: bool(publishing.withdraw_run(run=run, **asked)),
        undo="“Take back the last publication or withdrawal” publishes it again, with the same attempts.",
        fits=lambda run: run.state == Run.State.PUBLISHED,
    ),
    RowAction(
        "undo",
        "Take back the last publication or withdrawal",
        "publish",
        "A withdrawn run is published again, with the same attempts; a published one is withdrawn.",
        ("publication or withdrawal taken back", "publications or withdrawals taken back"),
        lambda run, asked: bool(publishing.undo_run(run=run, **asked)),
        undo="The same action once more.",
        fits=lambda run: run.state == Run.State.WITHDRAWN and _may_be_shown(run),
        asks=("over_questions",),
    ),
    RowAction(
        "rerun",
        "Run all results again",
        "run",
        RERUNNING,
        QUEUED,
        lambda run, asked: len(run_actions.rerun_results(results=run.results.all(), **asked)),
        undo=BY_CANCELLING,
        fits=lambda run: _may_queue(run) and not _is_open(run),
    ),
    RowAction(
        "rerun_failed",
        "Run again results that did not pass",
        "run",
        RERUNNING,
        QUEUED,
        lambda run, asked: len(run_actions.rerun_failed(run=run, **asked)),
        undo=BY_CANCELLING,
        fits=lambda run: _may_queue(run) and run_actions.failed_results(run).exists(),
    ),
    RowAction(
        "pause",
        "Pause",
        "run",
        "Queued attempts keep their place, but no worker takes them until you resume. Running ones continue.",
        ("run paused", "runs paused"),
        lambda run, asked: bool(run_actions.pause_run(run=run, **asked)),
        undo="“Resume”.",
        fits=lambda run: run.paused_at is None and _is_open(run),
    ),
    RowAction(
        "resume",
        "Resume",
        "run",
        "Workers take queued attempts again, in their old place in the queue.",
        ("run resumed", "runs resumed"),
        lambda run, asked: bool(run_actions.resume_run(run=run, **asked)),
        undo="“Pause”.",
        fits=lambda run: run.paused_at is not None,
    ),
    RowAction(
        "cancel",
        "Cancel open attempts",
        "run",
        CANCELLING,
        CANCELLED,
        lambda run, asked: run_actions.cancel_results(results=run.results.all(), **asked),
        undo=BY_RUNNING_AGAIN,
        fits=_is_open,
    ),
)
RESULT_ACTIONS = (
    RowAction(
        "take_back_audit",
        "Take back the audit",
        "audit",
        "The newest audit counts no more: the one before it does, or none, and a hold that it ended is back. It stays"
        " readable, with your reason. A reply to it that waits is closed.",
        ("audit taken back", "audits taken back"),
        lambda result, asked: bool(audits.take_back_audit(result=result, **asked)),
        undo="Audit the result again.",
        fits=_counting_audits,
    ),
    RowAction(
        "rerun",
        "Run again",
        "run",
        RERUNNING,
        QUEUED,
        lambda result, asked: len(run_actions.rerun_results(results=[result], **asked)),
        undo=BY_CANCELLING,
        fits=lambda result: _may_queue(result.run) and not _result_has_open(result),
    ),
    RowAction(
        "cancel",
        "Cancel open attempts",
        "run",
        CANCELLING,
        CANCELLED,
        lambda result, asked: run_actions.cancel_results(results=[result], **asked),
        undo=BY_RUNNING_AGAIN,
        fits=_result_has_open,
    ),
    RowAction(
        "publish",
        "Publish the newest attempt",
        "publish",
        "Each result shows its newest finished attempt. The attempt before stays in its history.",
        ("newer attempt published", "newer attempts published"),
        lambda result, asked: publishing.publish_results(results=[result], **asked),
        undo="“Take back the last publication” shows the attempt before again.",
        fits=lambda result: result.run.state == Run.State.PUBLISHED and _has_newer(result.attempts.all()),
    ),
    RowAction(
        "undo",
        "Take back the last publication",
        "publish",
        "Each result shows the attempt again that its newest publication replaced.",
        ("publication taken back", "publications taken back"),
        lambda result, asked: publishing.undo_results(results=[result], **asked),
        undo="The same action once more.",
        fits=_last_replaced,
    ),
)
CHECK_AGAIN = RowAction(
    "check_again",
    "Check again",
    "review",
    "A worker checks each file again, by the current rules.",
    ("submission queued for a check", "submissions queued for a check"),
    lambda one, asked: bool(submissions.check_again(submission=one, **asked)),
    fits=lambda one: one.state == Submission.State.REJECTED and one.bytes_removed_at is None,
)
SUBMISSION_ACTIONS = (
    RowAction(
        "publish",
        "Publish the claims",
        "publish",
        "Its claims are public, as the bundle states them. Nothing of them is ranked.",
        ("submission's claims published", "submissions' claims published"),
        lambda one, asked: bool(submissions.publish_claims(submission=one, **asked)),
        undo="“Withdraw the claims”.",
        fits=lambda one: bool(one.claim_count) and not one.is_public and one.outcome != TAKEN_DOWN,
        asks=("over_questions",),
    ),
    RowAction(
        "withdraw",
        "Withdraw the claims",
        "publish",
        "Its claims leave the public pages, and its timeline says why.",
        ("submission's claims withdrawn", "submissions' claims withdrawn"),
        lambda one, asked: bool(submissions.withdraw_claims(submission=one, **asked)),
        undo="“Publish the claims”.",
        fits=lambda one: one.is_public,
    ),
    RowAction(
        "verify",
        "Verify",
        "review",
        "Its candidates are evaluated again here, as a run of their own that is never published. Claimed and measured"
        " results are then shown side by side, and the badge of its run changes with the verdict.",
        ("verification started: this page shows its progress", "verifications started"),
        lambda one, asked: bool(verification.begin_verification(submission=one, **asked)),
        undo="“Stop the verification”, until it has ended.",
        fits=_may_be_verified,
        asks=("device_class", "sample"),
    ),
    RowAction(
        "stop_verification",
        "Stop the verification",
        "review",
        "Open attempts are cancelled, and no verdict is given. The submission waits for a decision as before.",
        ("verification stopped", "verifications stopped"),
        lambda one, asked: bool(verification.stop_verification(submission=one, **asked)),
        undo="“Verify” starts another one.",
        fits=_is_being_verified,
    ),
    RowAction(
        "close",
        "Close",
        "review",
        "No further step is expected, and its submitter is told so. What is public stays public.",
        ("submission closed", "submissions closed"),
        lambda one, asked: bool(submissions.close(submission=one, **asked)),
        undo="“Open again”.",
        fits=lambda one: one.state == Submission.State.ACCEPTED,
    ),
    RowAction(
        "reopen",
        "Open again",
        "review",
        "The submission waits for a maintainer again.",
        ("submission opened again", "submissions opened again"),
        lambda one, asked: bool(submissions.reopen(submission=one, **asked)),
        undo="“Close”.",
        fits=lambda one: one.state == Submission.State.CLOSED and one.outcome != TAKEN_DOWN,
    ),
    CHECK_AGAIN,
)
