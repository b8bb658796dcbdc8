"""Takedowns: a submission leaves the leaderboards, and its bundle, sources and sessions are deleted. History stays."""

from __future__ import annotations

import logging

from django.db import transaction

from evaluator.wording import counted
from runs import archive
from runs.errors import RunError
from runs.models import AgentSession, AuditEntry, Result, Run, Submission
from runs.references import who_names
from runs.services.audit_log import Actor, note
from runs.services.audits import close_reviews
from runs.services.publishing import withdraw_run
from runs.services.submissions import end

log = logging.getLogger(__name__)


@transaction.atomic
def take_down(*, submission: Submission, actor: Actor, reason: str) -> Submission:
    """Withdraw the run or claims and delete bundle, sources and sessions; their bytes leave the archive on commit.

    Raises:
        RunError: the submission is being checked or verified, is taken down already, or no reason is given.
    """
    submission = (
        Submission.objects.select_for_update(of=("self",)).select_related("submitter", "run").get(pk=submission.pk)
    )
    busy = (Submission.State.CHECKING, Submission.State.VERIFYING)
    if submission.outcome == Submission.Outcome.TAKEN_DOWN or submission.state in busy:
        state = submission.get_outcome_display() or submission.get_state_display()
        raise RunError(f"{submission} is {state}: it cannot be taken down now")
    if not reason.strip():
        raise RunError("give a reason: it is public")
    if submission.run is not None and submission.run.state == Run.State.PUBLISHED:
        withdraw_run(run=submission.run, actor=actor, reason=reason)
    if submission.is_public:
        submission.is_public = False
        submission.save(update_fields=["is_public"])
        note(AuditEntry.Action.WITHDRAW, actor, reason, submission=submission)
    close_reviews(
        reviews=submission.reviews.all(), actor=actor, decision=f"The submission was taken down: {reason.strip()}"
    )
    end(
        submission, Submission.Outcome.TAKEN_DOWN, actor, reason
    )  # first: the guards release sources only of a submission that is taken down
    mine = _cleared(submission)
    transaction.on_commit(lambda: _remove(submission.digest, mine))
    return submission


def _cleared(submission: Submission) -> set[str]:
    """Clear its rows of sources and sessions; return the digests that they named."""
    mine = {digest for files in submission.claims.values_list("files", flat=True) for digest in files.values()}
    submission.claims.update(files={})
    if submission.run is not None:
        runs = [submission.run_id, *submission.run.verifications.values_list("measured", flat=True)]
        results = Result.objects.filter(run__in=runs)
        mine |= {digest for files in results.values_list("candidate_files", flat=True) for digest in files.values()}
        sessions = AgentSession.objects.filter(result__run__in=runs)
        mine |= {digest for both in sessions.values_list("digest", "prompt_digest") for digest in both if digest}
        sessions.delete()
        results.update(candidate_files={})
    return mine


@transaction.atomic
def _remove(upload: str, mine: set[str]) -> None:
    """Delete the upload and those files that no row names: a source may be the task's, a prompt another session's.

    Any bytes can be submitted as a source, those of somebody else's record, too. Which files an import names is known
    once it is stored: a web thread does not wait for that, but leaves them to the night (services/expiry.py).
    """
    archive.remove(upload, archive.UPLOADS)
    if not archive.hold_writers(waits=False):
        log.warning("an import is being stored: a takedown leaves %s to the night", counted(len(mine), "file"))
        return
    for digest in mine - {digest for digest, _ in who_names(mine)}:
        archive.remove(digest)
