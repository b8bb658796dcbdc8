"""Submissions: received, checked, accepted or rejected, and closed. Each step leaves an entry in the audit log.

received → checking   lease_check: a lease, like that of an attempt
checking → rejected   reject: with every problem at once
checking → accepted   accept: the run with all its rows, or accept_claims
checking → received   release_check (a fault of ours), requeue_expired_checks: three checks at most
rejected → received   receive, if its submitter submits the same bytes again; check_again
any      → received   facts.declare, if an added fact changes how the bundle is read
any      → closed     close; takedowns.take_down
closed   → accepted   reopen
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from evaluator.bundles.parsed import Bundle, ParsedBundle
from evaluator.bundles.problems import BundleProblem
from evaluator.wording import counted
from runs import archive, job_messages, mail
from runs.errors import RunError
from runs.models import AuditEntry, Configuration, Run, Submission
from runs.references import who_names
from runs.services import messages
from runs.services.audit_log import Actor, note
from runs.services.claims import write_claims
from runs.services.imports import import_run
from runs.services.publishing import refuse_open_questions
from runs.services.quotas import refuse_beyond_quota
from runs.services.suspicions import open_reviews_of_claims, open_reviews_of_run

CHECK_S = 900  # the lease: enough to read, and then to write, a million measurements
MOST_CHECKS = 3
LONGEST_NAME = 200
State, Action = Submission.State, AuditEntry.Action
OUR_FAULT = BundleProblem(
    "this site", "the check failed", "a verdict", "The fault is ours. A maintainer will look into it."
)


@dataclass(frozen=True, slots=True)
class Upload:
    """An upload: the digest of its archived bytes, and what its submitter declares; an empty licence is not stated."""

    digest: str
    size_bytes: int
    file_name: str
    declared: Mapping[str, Any]
    licence: str
    wants_mail: bool = False
    idempotency_key: str = ""


def receive(*, upload: Upload, actor: Actor) -> tuple[Submission, bool]:
    """Return the submission of these bytes, and whether this call queued a check.

    The same bytes are the same submission. A rejected one is checked again if its own submitter submits it again, with
    the facts declared now. Bytes that were taken down are not kept when they come again.

    Raises:
        RunError: the idempotency key was used for other bytes.
        QuotaError: its submitter may have no more submissions or bytes.
    """
    try:
        return _received(upload, actor)
    except IntegrityError:  # the same bytes or key arrived at the same moment: now the other row exists
        return _received(upload, actor)


@transaction.atomic
def _received(upload: Upload, actor: Actor) -> tuple[Submission, bool]:
    user = actor if isinstance(actor, User) else None
    if user is not None:
        _refuse_used_key(user, upload.idempotency_key, upload.digest)
    known = Submission.objects.select_for_update().filter(digest=upload.digest).first()
    if known is not None and not _may_come_again(known, user):
        if known.outcome == Submission.Outcome.TAKEN_DOWN or known.bytes_removed_at is not None:
            archive.remove(upload.digest, archive.UPLOADS)  # while the row is locked, so nobody takes it up again
        return known, False
    if user is not None:
        User.objects.select_for_update().get(pk=user.pk)  # uploads at the same moment are counted one after the other
        refuse_beyond_quota(user=user, digest=upload.digest, size_bytes=upload.size_bytes)
    submission = known or Submission(digest=upload.digest, size_bytes=upload.size_bytes, submitter=user)
    for name in ("licence", "wants_mail", "idempotency_key"):
        setattr(submission, name, getattr(upload, name))
    submission.file_name = upload.file_name[-LONGEST_NAME:]  # its end says what it is
    submission.declared = dict(upload.declared)
    submission.declared_on = {}
    submission.submitter_name = user.get_username() if user else str(actor)
    submission.state, submission.problems, submission.problem_count, submission.checks = State.RECEIVED, [], 0, 0
    submission.received_at = submission.consented_at = timezone.now()
    submission.bytes_removed_at = None
    submission.save()
    note(Action.RECEIVE, actor, "submitted again" if known else "", submission=submission)
    messages.send_check(submission)
    return submission, True


def refuse_unwanted(*, digest: str, size_bytes: int, user: User, idempotency_key: str) -> None:
    """Refuse bytes that `receive` would refuse, before they are stored.

    Raises:
        RunError, QuotaError: as `receive`.
    """
    _refuse_used_key(user, idempotency_key, digest)
    known = Submission.objects.filter(digest=digest).first()
    if known is None or _may_come_again(known, user):
        refuse_beyond_quota(user=user, digest=digest, size_bytes=size_bytes)


@transaction.atomic
def remove_refused(*, digest: str) -> None:
    """Remove an upload that `receive` refused: no quota counts its bytes. Do nothing if a submission names it."""
    archive.hold_writers()
    if not any(who_names([digest], archive.UPLOADS)):
        archive.remove(digest, archive.UPLOADS)


def _refuse_used_key(user: User, key: str, digest: str) -> None:
    used = Submission.objects.filter(submitter=user, idempotency_key=key).first() if key else None
    if used is not None and used.digest != digest:
        raise RunError(f"the Idempotency-Key was used for other bytes before, in submission {used.pk}")


def _may_come_again(known: Submission, user: User | None) -> bool:
    return known.state == State.REJECTED and known.submitter == user


@transaction.atomic
def check_again(*, submission: Submission, actor: Actor, reason: str = "") -> Submission:
    """Queue another check of a rejected submission, after a fault of ours or a change of this site.

    Raises:
        RunError: the submission is not rejected, or its bytes have expired.
    """
    submission = _locked(submission)
    if submission.state != State.REJECTED:
        raise RunError(f"{submission} is {submission.get_state_display()}, not rejected")
    if submission.bytes_removed_at is not None:
        raise RunError(f"the file of {submission} is not kept any more: its submitter can submit it again")
    submission.state, submission.problems, submission.problem_count, submission.checks = State.RECEIVED, [], 0, 0
    submission.save(update_fields=["state", "problems", "problem_count", "checks"])
    note(Action.RECEIVE, actor, f"checked again: {reason}".removesuffix(": "), submission=submission)
    messages.send_check(submission)
    return submission


def lease_check(*, submission_id: int | None = None) -> Submission | None:
    """Take this submission, else the oldest that waits. Return None if there is none or another worker took it."""
    waiting = Submission.objects.waiting()
    if submission_id is not None:
        waiting = waiting.filter(pk=submission_id)
    first = waiting.values_list("pk", flat=True).first()
    if first is None:
        return None
    taken = Submission.objects.filter(pk=first, state=State.RECEIVED).update(
        state=State.CHECKING, checks=F("checks") + 1, lease_until=Now() + timedelta(seconds=CHECK_S)
    )
    return Submission.objects.select_related("submitter").get(pk=first) if taken else None


def renew_check(*, submission: Submission) -> bool:
    """Renew the check's lease before rows are written. Return False if the lease is lost."""
    mine = Submission.objects.filter(pk=submission.pk, state=State.CHECKING, checks=submission.checks)
    return bool(mine.update(lease_until=Now() + timedelta(seconds=CHECK_S)))


@transaction.atomic
def reject(*, submission: Submission, problems: Sequence[BundleProblem], format: str = "") -> bool:
    """Reject the submission with all its problems. Return False if the check's lease is lost."""
    if not problems:
        raise ValueError("a rejection needs a problem")
    columns = {"problems": [asdict(one) for one in problems], "problem_count": len(problems), "format": format}
    if not _end_check(submission, State.REJECTED, columns):
        return False
    note(Action.REJECT, "check", counted(len(problems), "problem"), submission=submission)
    mail.on_commit(submission, f"It was rejected with {counted(len(problems), 'problem')}. Its page lists them all.")
    return True


@transaction.atomic
def accept(*, submission: Submission, bundle: Bundle, parsed: ParsedBundle, configuration: Configuration) -> Run | None:
    """Accept a bundle of this benchmark: store its run as a draft and open reviews. Return None if the lease is lost.

    Raises:
        BundleError: with everything in which the bundle differs from this site. Nothing is stored.
        RunError: another submission has the same results.
    """
    if (same := Submission.objects.filter(run__bundle_digest=bundle.digest).first()) is not None:
        raise RunError(f"submission {same.pk} has exactly these results")
    actor = submission.submitter or submission.submitter_name
    run = import_run(bundle=bundle, configuration=configuration, actor=actor)
    if not _end_check(submission, State.ACCEPTED, {"run": run, **about_columns(submission, parsed)}):
        transaction.set_rollback(True)
        return None
    note(Action.ACCEPT, "check", f"{run}", submission=submission)
    open_reviews_of_run(submission=submission)
    mail.on_commit(submission, f"It was accepted as {run}. A maintainer will publish it or have it evaluated again.")
    return run


@transaction.atomic
def accept_claims(*, submission: Submission, parsed: ParsedBundle) -> int:
    """Accept a bundle of another benchmark: store its claims, which are never ranked; return how many.

    Return 0, and store nothing, if the check's lease is lost.
    """
    write_claims(submission, parsed)
    count = len(parsed.claims)
    if not _end_check(submission, State.ACCEPTED, {"claim_count": count, **about_columns(submission, parsed)}):
        transaction.set_rollback(True)
        return 0
    claims = counted(count, "claim")
    note(Action.ACCEPT, "check", claims, submission=submission)
    facts = {**parsed.declared, **submission.declared}
    open_reviews_of_claims(submission=submission, agent=str(facts.get("agent", "")))
    mail.on_commit(submission, f"It was accepted with {claims}. A maintainer will decide whether to publish them.")
    return count


@transaction.atomic
def publish_claims(
    *, submission: Submission, actor: Actor, reason: str = "", over_questions: bool = False
) -> Submission:
    """Make the claims of a submission public; while a review about it is open, only with `over_questions`.

    Raises:
        RunError: it has no claims, was taken down, or a review about it is open.
    """
    submission = _locked(submission)
    if not submission.claim_count or submission.outcome == Submission.Outcome.TAKEN_DOWN:
        raise RunError(f"{submission} has no claims to publish")
    refuse_open_questions(submission, over_questions=over_questions)
    if not submission.is_public:
        _show_claims(submission, True, actor, reason)
    return submission


@transaction.atomic
def withdraw_claims(*, submission: Submission, actor: Actor, reason: str) -> Submission:
    """Take the claims of a submission off the public pages. They stay here, and can be published again.

    Raises:
        RunError: they are not public, or no reason is given.
    """
    submission = _locked(submission)
    if not submission.is_public:
        raise RunError(f"the claims of {submission} are not public")
    if not reason.strip():
        raise RunError("give a reason: it is public")
    _show_claims(submission, False, actor, reason)
    return submission


def _show_claims(submission: Submission, is_public: bool, actor: Actor, reason: str) -> None:
    submission.is_public = is_public
    submission.save(update_fields=["is_public"])
    note(Action.PUBLISH if is_public else Action.WITHDRAW, actor, reason, submission=submission)


def requeue_expired_checks() -> int:
    """Queue every check whose lease has expired again; return how many."""
    return sum(release_check(submission=submission) for submission in Submission.objects.expired())


@transaction.atomic
def resend_lost_check_messages() -> int:
    """Send the message of the oldest waiting submission again if a free worker has not taken it; return how many."""
    waiting = Submission.objects.waiting().first()
    if waiting is None or not messages.free_workers().exists() or not messages.may_send_again(waiting):
        return 0
    job_messages.send_check_on_commit(submission_id=waiting.pk)
    return 1


@transaction.atomic
def close(*, submission: Submission, actor: Actor, reason: str = "") -> Submission:
    """Close an accepted submission.

    Raises:
        RunError: it is not accepted, or is being verified.
    """
    submission = _locked(submission)
    if submission.state != State.ACCEPTED:
        raise RunError(f"{submission} is {submission.get_state_display()}: only an accepted one can be closed")
    verified = submission.run is not None and submission.run.verifications.filter(compared_tasks__gte=1).exists()
    outcome = Submission.Outcome.VERIFIED if verified else Submission.Outcome.UNVERIFIED
    return end(submission, outcome, actor, reason)


@transaction.atomic
def reopen(*, submission: Submission, actor: Actor, reason: str) -> Submission:
    """Take back that a submission was closed: it waits for a maintainer again.

    Raises:
        RunError: it is not closed, or was taken down, which nobody can take back.
    """
    submission = _locked(submission)
    if submission.state != State.CLOSED or submission.outcome == Submission.Outcome.TAKEN_DOWN:
        state = submission.get_outcome_display() or submission.get_state_display()
        raise RunError(f"{submission} is {state}: it cannot be opened again")
    submission.state, submission.outcome = State.ACCEPTED, ""
    submission.save(update_fields=["state", "outcome"])
    note(Action.ACCEPT, actor, f"opened again: {reason}", submission=submission)
    return submission


def end(submission: Submission, outcome: Submission.Outcome, actor: Actor, reason: str) -> Submission:
    """Close the submission with this outcome, in the caller's transaction."""
    submission.state, submission.outcome = State.CLOSED, outcome
    submission.save(update_fields=["state", "outcome"])
    text = f"{outcome.label}: {reason}" if reason else str(outcome.label)
    note(Action.CLOSE, actor, text, submission=submission)
    mail.on_commit(submission, f"It is closed: {text.rstrip('.')}.")
    return submission


def about_columns(submission: Submission, parsed: ParsedBundle) -> dict[str, Any]:
    """Return the submission's columns about its whole bundle. Its licence is the bundle's own if none was given."""
    about: dict[str, Any] = {"generation": parsed.generation, "suite": parsed.suite, "facts": dict(parsed.declared)}
    about |= {"suite_tasks": len(parsed.suite_tasks), "absent": len(parsed.absent), "asked": list(parsed.asked)}
    about["totals"] = [asdict(total) for total in parsed.totals]
    findings = [asdict(finding) for finding in parsed.findings]
    stated = parsed.declared.get("licence", "")
    licence = submission.licence or (stated if stated in Submission.Licence.values else "")
    return {"format": parsed.format, "findings": findings, "about": about, "licence": licence}


def _locked(submission: Submission) -> Submission:
    return Submission.objects.select_for_update(of=("self",)).select_related("submitter", "run").get(pk=submission.pk)


def _end_check(submission: Submission, state: Submission.State, columns: Mapping[str, Any]) -> bool:
    """Move on from checking; return False if a newer check has taken the submission."""
    mine = Submission.objects.filter(pk=submission.pk, state=State.CHECKING, checks=submission.checks)
    try:
        with transaction.atomic():
            ended = mine.update(state=state, lease_until=None, **columns)
    except IntegrityError as error:
        raise RunError(f"{submission} cannot be {state}: {error}") from error
    submission.state = state
    return bool(ended)


@transaction.atomic
def release_check(*, submission: Submission) -> bool:
    """Queue the check again after a fault of ours; after three checks, reject the submission.

    Return False if the check's lease is lost.
    """
    if submission.checks >= MOST_CHECKS:
        return reject(submission=submission, problems=[OUR_FAULT])
    if not _end_check(submission, State.RECEIVED, {}):
        return False
    messages.send_check(submission)
    return True
