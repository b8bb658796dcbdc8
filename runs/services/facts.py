"""What a bundle does not say, added by its submitter after hand-in: self-declared, with its day, and once."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluator.bundles.parsed import DECLARABLE
from evaluator.wording import field_label
from runs import job_messages
from runs.errors import RunError
from runs.models import AuditEntry, Run, Submission
from runs.services.audit_log import note
from runs.services.names import SETTINGS, configuration_for

BEFORE_IT_IS_READ = (Submission.State.RECEIVED, Submission.State.CHECKING)
NAMING = ("model", *SETTINGS)  # the configuration that a run stands under
READING = ("level",)  # which tasks a bundle's numbers are


def sayable(submission: Submission) -> tuple[str, ...]:
    """The facts that can still be added, in the order of the form: none where it is too late.

    Before the bundle is read nobody knows what it says: everything that was not said at hand-in. What names the
    configuration of a public run, or decides what public claims are, stays as it is.
    """
    if submission.state in BEFORE_IT_IS_READ:
        names = [name for name in DECLARABLE if name not in (*submission.said, "licence")]
    elif submission.state == Submission.State.ACCEPTED:
        names = submission.not_said
    else:
        names = []
    run = submission.run
    fixed = (*(NAMING if run and run.state != Run.State.DRAFT else ()), *(READING if submission.is_public else ()))
    return tuple(name for name in DECLARABLE if name in names and name not in fixed)


@transaction.atomic
def declare(*, submission: Submission, facts: Mapping[str, str], actor: User) -> Submission:
    """Add facts that nobody said so far. What changes how the bundle is read has it read again.

    Raises:
        RunError: one was said before, or cannot be said any more; or its configuration is one that cannot be.
    """
    submission = Submission.objects.select_for_update(of=("self",)).select_related("submitter").get(pk=submission.pk)
    if submission.run_id:  # nobody publishes it meanwhile
        submission.run = Run.objects.select_for_update().get(pk=submission.run_id)
    if late := [name for name in facts if name not in sayable(submission)]:
        raise RunError(f"{', '.join(map(field_label, late))} of {submission} cannot be said any more")
    day = timezone.now().date().isoformat()
    submission.declared = {**submission.declared, **facts}
    submission.declared_on = {**submission.declared_on, **dict.fromkeys(facts, day)}
    submission.save(update_fields=["declared", "declared_on"])
    told = "; ".join(f"{field_label(name)}: {value}" for name, value in facts.items())
    note(AuditEntry.Action.DECLARE, actor, told, submission=submission)
    if submission.state in BEFORE_IT_IS_READ or set(READING) & set(facts):
        _read_again(submission)
    elif submission.run is not None and set(NAMING) & set(facts):
        submission.run.configuration = configuration_for(declared=submission.said)
        submission.run.save(update_fields=["configuration"])
    return submission


def _read_again(submission: Submission) -> None:
    """Whoever reads it now has lost it; claims that were read otherwise are gone."""
    submission.claims.all().delete()
    submission.state, submission.lease_until, submission.claim_count = Submission.State.RECEIVED, None, 0
    submission.findings, submission.about = [], {"said": submission.about.get("said", {})}
    submission.save(update_fields=["state", "lease_until", "claim_count", "findings", "about"])
    job_messages.check_on_commit(submission_id=submission.pk)
