"""Submissions: received, checked, rejected or accepted, taken down, closed. Each move leaves an entry in the trail.

received → checking   claim_check: a lease, as an attempt's
checking → rejected   reject: with every problem at once
checking → accepted   accept: the run with all its rows, or none
checking → received   give_back_check (our fault), requeue_dead_checks: three checks at most
rejected → received   receive, when its submitter sends the same bytes again; check_again
any      → received   facts.declare, where what is said changes how it is read
any      → closed     close; takedowns.take_down
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

from evaluator.bundles import parsed as bundles
from evaluator.bundles.native.bundle import Bundle
from evaluator.bundles.problems import BundleProblem
from evaluator.wording import counted
from runs import archive, job_messages, mail
from runs.errors import RunError
from runs.models import AuditEntry, Claim, Configuration, Run, Submission
from runs.services.audit_log import Actor, note
from runs.services.imports import import_run
from runs.services.suspicions import raise_suspicions, raise_suspicions_of_claims

CHECK_S = 900  # reading, and then writing, a million measurements; what takes longer has lost its worker
MOST_CHECKS = 3
LONGEST_NAME = 200
CLAIMS_AT_ONCE = 50  # each with the times of all its cases
State, Action = Submission.State, AuditEntry.Action
OUR_FAULT = BundleProblem(
    "our side", "the check failed", "a verdict", "A maintainer has to look; nothing is wrong with you."
)


@dataclass(frozen=True, slots=True)
class Upload:
    """What came in: bytes that lie in the archive, and what their submitter says."""

    digest: str
    size_bytes: int
    file_name: str
    declared: Mapping[str, Any]
    licence: str
    wants_mail: bool = False
    idempotency_key: str = ""


def receive(*, upload: Upload, actor: Actor) -> tuple[Submission, bool]:
    """The submission of these bytes, and whether it waits for a check because of this call.

    The same bytes are the same submission; its own submitter's rejected one is checked again, with what is said now.

    Raises:
        RunError: the idempotency key was used for other bytes.
    """
    try:
        return _received(upload, actor)
    except IntegrityError:  # the same bytes, or the same key, came twice at once: now the first ones are there
        return _received(upload, actor)


@transaction.atomic
def _received(upload: Upload, actor: Actor) -> tuple[Submission, bool]:
    user = actor if isinstance(actor, User) else None
    key = upload.idempotency_key
    used = Submission.objects.filter(submitter=user, idempotency_key=key).first() if key and user else None
    if used is not None and used.digest != upload.digest:
        raise RunError(f"the Idempotency-Key was used before, for other bytes: submission {used.pk}")
    known = Submission.objects.select_for_update().filter(digest=upload.digest).first()
    if known is not None and (known.state != State.REJECTED or known.submitter != user):
        return known, False
    submission = known or Submission(digest=upload.digest, size_bytes=upload.size_bytes, submitter=user)
    for name in ("licence", "wants_mail", "idempotency_key"):
        setattr(submission, name, getattr(upload, name))
    submission.file_name, submission.declared = upload.file_name[:LONGEST_NAME], dict(upload.declared)
    submission.declared_on = {}
    submission.submitter_name = user.get_username() if user else str(actor)
    submission.state, submission.problems, submission.problem_count, submission.checks = State.RECEIVED, [], 0, 0
    submission.received_at = submission.consented_at = timezone.now()
    submission.save()
    note(Action.RECEIVE, actor, "sent again" if known else "", submission=submission)
    job_messages.check_on_commit(submission_id=submission.pk)
    return submission, True


@transaction.atomic
def check_again(*, submission: Submission, actor: Actor) -> Submission:
    """Queue a rejected submission once more: the fault was ours, or the site has learnt what it lacked.

    Raises:
        RunError: it is not rejected.
    """
    submission = _locked(submission)
    if submission.state != State.REJECTED:
        raise RunError(f"{submission} is {submission.get_state_display()}, not rejected")
    submission.state, submission.problems, submission.problem_count, submission.checks = State.RECEIVED, [], 0, 0
    submission.save(update_fields=["state", "problems", "problem_count", "checks"])
    note(Action.RECEIVE, actor, "checked again", submission=submission)
    job_messages.check_on_commit(submission_id=submission.pk)
    return submission


def claim_check(*, submission_id: int | None = None) -> Submission | None:
    """Take the submission that is named, else the oldest that waits. None: there is none, or another was faster."""
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
    """Give it its time once more: it is read, and now its rows are written. False: it was taken from its worker."""
    mine = Submission.objects.filter(pk=submission.pk, state=State.CHECKING, checks=submission.checks)
    return bool(mine.update(lease_until=Now() + timedelta(seconds=CHECK_S)))


@transaction.atomic
def reject(*, submission: Submission, problems: Sequence[BundleProblem], format: str = "") -> bool:
    """Every problem at once. False: the check was taken from its worker."""
    if not problems:
        raise ValueError("a rejection needs a problem")
    columns = {"problems": [asdict(one) for one in problems], "problem_count": len(problems), "format": format}
    if not _end_check(submission, State.REJECTED, columns):
        return False
    note(Action.REJECT, "check", counted(len(problems), "problem"), submission=submission)
    mail.on_commit(submission, f"It was not accepted: {counted(len(problems), 'problem')}, told on its page.")
    return True


@transaction.atomic
def accept(
    *, submission: Submission, bundle: Bundle, claimed: bundles.ParsedBundle, configuration: Configuration
) -> Run | None:
    """The run of a bundle of ours, a draft, and the questions it raises. None: the check was taken from its worker.

    Raises:
        BundleError: with everything that this site knows otherwise; nothing is written.
        RunError: another submission brought the same results.
    """
    if (same := Submission.objects.filter(run__bundle_digest=bundle.digest).first()) is not None:
        raise RunError(f"submission {same.pk} brought exactly these results")
    actor = submission.submitter or submission.submitter_name
    run = import_run(bundle=bundle, configuration=configuration, actor=actor)
    if run.verification == Run.Verification.NONE:
        run.verification = Run.Verification.CHECKED
        run.save(update_fields=["verification"])
    if not _end_check(submission, State.ACCEPTED, {"run": run, **_about(claimed)}):
        transaction.set_rollback(True)
        return None
    note(Action.ACCEPT, "check", f"{run}", submission=submission)
    raise_suspicions(submission=submission)
    mail.on_commit(submission, f"It was accepted as {run}. A maintainer publishes it or has it evaluated again.")
    return run


@transaction.atomic
def accept_claims(*, submission: Submission, claimed: bundles.ParsedBundle) -> int:
    """What a bundle of another benchmark claims, task by task; how many. None of it is ever ranked."""
    for start in range(0, len(claimed.claims), CLAIMS_AT_ONCE):
        Claim.objects.bulk_create(_claim(submission, one) for one in claimed.claims[start : start + CLAIMS_AT_ONCE])
    count = len(claimed.claims)
    if not _end_check(submission, State.ACCEPTED, {"claim_count": count, **_about(claimed)}):
        transaction.set_rollback(True)
        return 0
    claims = counted(count, "claim")
    note(Action.ACCEPT, "check", claims, submission=submission)
    said = {**claimed.declared, **submission.declared}
    raise_suspicions_of_claims(submission=submission, agent=str(said.get("agent", "")))
    mail.on_commit(submission, f"It was accepted: {claims}. A maintainer decides whether the submission is shown.")
    return count


@transaction.atomic
def show_claims(*, submission: Submission, actor: Actor) -> Submission:
    """Let everybody see what a bundle of another benchmark claims.

    Raises:
        RunError: it has none, or it was taken down.
    """
    submission = _locked(submission)
    if not submission.claim_count or submission.outcome == Submission.Outcome.TAKEN_DOWN:
        raise RunError(f"{submission} has no claims to show")
    submission.is_public = True
    submission.save(update_fields=["is_public"])
    note(Action.DECIDE, actor, "its claims are shown", submission=submission)
    return submission


def give_back_check(*, submission: Submission) -> None:
    """After a fault of ours: checked again, three times at most."""
    _requeue(submission)


def requeue_dead_checks() -> int:
    """Give back every check whose lease ran out; how many."""
    return sum(_requeue(submission) for submission in Submission.objects.dead())


def wake_forgotten_checks() -> int:
    """Send the message of the oldest waiting submission again, if it has waited for longer than one takes."""
    forgotten = Submission.objects.waiting().filter(received_at__lt=Now() - timedelta(seconds=30)).first()
    if forgotten is not None:
        job_messages.check_on_commit(submission_id=forgotten.pk)
    return int(forgotten is not None)


@transaction.atomic
def close(*, submission: Submission, actor: Actor, reason: str = "") -> Submission:
    """End an accepted submission without evaluating it again.

    Raises:
        RunError: it is not accepted, or its verification runs.
    """
    submission = _locked(submission)
    if submission.state != State.ACCEPTED:
        raise RunError(f"{submission} is {submission.get_state_display()}: only an accepted one is closed")
    verified = submission.run is not None and submission.run.verifications.exclude(verdict="").exists()
    outcome = Submission.Outcome.VERIFIED if verified else Submission.Outcome.UNVERIFIED
    return end(submission, outcome, actor, reason)


def end(submission: Submission, outcome: Submission.Outcome, actor: Actor, reason: str) -> Submission:
    """Within the transaction of whoever ends it."""
    submission.state, submission.outcome = State.CLOSED, outcome
    submission.save(update_fields=["state", "outcome"])
    told = f"{outcome.label}: {reason}" if reason else str(outcome.label)
    note(Action.CLOSE, actor, told, submission=submission)
    mail.on_commit(submission, f"It is closed, {told.rstrip('.')}.")
    return submission


def _about(claimed: bundles.ParsedBundle) -> dict[str, Any]:
    about: dict[str, Any] = {"generation": claimed.generation, "suite": claimed.suite, "said": dict(claimed.declared)}
    about |= {"suite_tasks": len(claimed.suite_tasks), "absent": len(claimed.absent), "asked": list(claimed.asked)}
    about["totals"] = [asdict(total) for total in claimed.totals]
    findings = [asdict(finding) for finding in claimed.findings]
    return {"format": claimed.format, "findings": findings, "about": about}


def _claim(submission: Submission, claim: bundles.ParsedClaim) -> Claim:
    return Claim(
        submission=submission,
        task=claim.task[:300],
        attempt=claim.attempt[:200],
        is_known=claim.is_known,
        status=claim.status.value,
        reason=claim.reason or "",
        message=claim.message or "",
        claimed=dict(claim.claimed),
        claimed_speedup=claim.claimed_speedup,
        recomputed_speedup=claim.recomputed_speedup,
        cases=[[case.id, case.baseline_ms, case.candidate_ms, case.claimed_speedup] for case in claim.cases],
        files={path: archive.put(data) for path, data in claim.files.items()},
    )


def _locked(submission: Submission) -> Submission:
    return Submission.objects.select_for_update(of=("self",)).select_related("submitter", "run").get(pk=submission.pk)


def _end_check(submission: Submission, state: Submission.State, columns: Mapping[str, Any]) -> bool:
    """While this check is its newest."""
    mine = Submission.objects.filter(pk=submission.pk, state=State.CHECKING, checks=submission.checks)
    try:
        with transaction.atomic():
            ended = mine.update(state=state, lease_until=None, **columns)
    except IntegrityError as error:
        raise RunError(f"{submission} cannot be {state}: {error}") from error
    submission.state = state
    return bool(ended)


@transaction.atomic
def _requeue(submission: Submission) -> bool:
    if submission.checks >= MOST_CHECKS:
        return reject(submission=submission, problems=[OUR_FAULT])
    if not _end_check(submission, State.RECEIVED, {}):
        return False
    job_messages.check_on_commit(submission_id=submission.pk)
    return True
