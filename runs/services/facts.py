"""Facts that a bundle lacks, added by its submitter later. Each can be added once, and is shown as self-declared."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluator.bundles.kernelbench import leaderboard
from evaluator.bundles.parsed import DECLARABLE
from evaluator.wording import field_label
from runs.errors import RunError
from runs.models import AuditEntry, Run, Submission
from runs.services import messages
from runs.services.audit_log import note
from runs.services.names import SETTINGS, configuration_for

UNREAD = (Submission.State.RECEIVED, Submission.State.CHECKING)
NAMING = ("model", *SETTINGS)  # facts that decide the run's configuration
READING = ("level",)  # facts that decide which tasks the numbers of a bundle mean
READING_A_LEADERBOARD = (*READING, "model")  # and whose rows count


def addable_facts(submission: Submission) -> tuple[str, ...]:
    """Return the names of facts that can still be added, in the order of the form; none if it is too late.

    Before the bundle is read, everything that was not declared can be added. Facts that decide the configuration of a
    run that was public, or the meaning of public claims, can no longer be added.
    """
    if submission.state in UNREAD:
        names = [name for name in DECLARABLE if name not in (*submission.facts, "licence")]
    elif submission.state == Submission.State.ACCEPTED:
        names = submission.undeclared_facts
    else:
        names = []
    run = submission.run
    fixed = (
        *(NAMING if run and run.state != Run.State.DRAFT else ()),
        *(_reading(submission) if submission.is_public else ()),
    )
    return tuple(name for name in DECLARABLE if name in names and name not in fixed)


@transaction.atomic
def declare(*, submission: Submission, facts: Mapping[str, str], actor: User) -> Submission:
    """Add facts that nobody has declared yet. A fact that decides how the bundle is read queues another check.

    Raises:
        RunError: a fact was declared before or cannot be added any more, or no configuration can be made of the facts.
    """
    submission = Submission.objects.select_for_update(of=("self",)).select_related("submitter").get(pk=submission.pk)
    if submission.run_id:  # so that nobody publishes it meanwhile
        submission.run = Run.objects.select_for_update().get(pk=submission.run_id)
    if late := [name for name in facts if name not in addable_facts(submission)]:
        raise RunError(f"{', '.join(map(field_label, late))} of {submission} cannot be added any more")
    day = timezone.now().date().isoformat()
    submission.declared = {**submission.declared, **facts}
    submission.declared_on = {**submission.declared_on, **dict.fromkeys(facts, day)}
    submission.save(update_fields=["declared", "declared_on"])
    text = "; ".join(f"{field_label(name)}: {value}" for name, value in facts.items())
    note(AuditEntry.Action.DECLARE, actor, text, submission=submission)
    if submission.state in UNREAD or set(_reading(submission)) & set(facts):
        _check_again(submission)
    elif submission.run is not None and set(NAMING) & set(facts):
        submission.run.configuration = configuration_for(declared=submission.facts)
        submission.run.save(update_fields=["configuration"])
    return submission


def _reading(submission: Submission) -> tuple[str, ...]:
    return READING_A_LEADERBOARD if submission.format == leaderboard.NAME else READING


def _check_again(submission: Submission) -> None:
    """Queue another check: a running one loses its lease, and claims that were read before are removed."""
    submission.claims.all().delete()
    submission.state, submission.lease_until, submission.claim_count = Submission.State.RECEIVED, None, 0
    submission.findings, submission.about = [], {"facts": submission.about.get("facts", {})}
    submission.save(update_fields=["state", "lease_until", "claim_count", "findings", "about"])
    messages.send_check(submission)
