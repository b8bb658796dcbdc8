"""A bundle that comes again: what is said otherwise now, and what a correction changes in its claims.

A submitter's facts are declared once (see `facts`). A command, which an operator runs, may correct those of what it
imported before.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from evaluator.bundles.parsed import ParsedBundle
from evaluator.wording import field_label
from runs.errors import RunError
from runs.models import AuditEntry, Result, Run, Submission
from runs.services.audit_log import Actor, note
from runs.services.claims import write_claims
from runs.services.names import SETTINGS
from runs.services.submissions import Upload, about_columns
from runs.services.suspicions import open_reviews_of_claims

OF_A_CONFIGURATION = ("agent", "model", "configuration", *SETTINGS)
ROW = (
    *("is_known", "status", "reason", "message", "claimed", "claimed_speedup", "recomputed_speedup", "cases", "files"),
    *("previous_attempt", "transition", "kinds"),
)
Rows = Mapping[tuple[str, str, int], str]  # task, attempt and which of several of that name → everything said of it


@dataclass(frozen=True, slots=True)
class RowChanges:
    """How many rows of two imports of one source differ."""

    new: int
    same: int
    changed: int
    gone: int

    def __str__(self) -> str:
        return f"{self.new} new, {self.same} same, {self.changed} changed, {self.gone} gone"

    @property
    def is_none(self) -> bool:
        return not (self.new or self.changed or self.gone)


def compared(before: Rows, after: Rows) -> RowChanges:
    both = before.keys() & after.keys()
    same = sum(before[key] == after[key] for key in both)
    return RowChanges(len(after) - len(both), same, len(both) - same, len(before) - len(both))


def rows_of(submission: Submission) -> Rows:
    """Return what the submission says, row by row: its claims, or the results of its run."""
    if submission.run is not None:
        results = Result.objects.filter(run=submission.run, attempts__number=1)
        named = results.values_list("task__path", "candidate_digest", "attempts__record_digest")
        return {(task, "", 1): f"{candidate} {record}" for task, candidate, record in named}
    rows, seen = dict[tuple[str, str, int], str](), Counter[tuple[str, str]]()
    for task, attempt, *values in submission.claims.order_by("id").values_list("task", "attempt", *ROW).iterator():
        seen[task, attempt] += 1
        rows[task, attempt, seen[task, attempt]] = json.dumps(values, sort_keys=True)
    return rows


def earlier_of_the_same_source(submission: Submission) -> Submission | None:
    """Return its submitter's newest earlier import of the same benchmark, suite, agent, model and settings, if any."""
    same = Submission.objects.select_related("run").filter(submitter=submission.submitter_id, format=submission.format)
    same = same.filter(pk__lt=submission.pk, state__in=("accepted", "verifying", "closed"))
    same = same.exclude(outcome=Submission.Outcome.TAKEN_DOWN)
    return next((one for one in same.order_by("-pk").iterator() if _source(one) == _source(submission)), None)


def differences(submission: Submission, upload: Upload) -> dict[str, str]:
    """Return what the upload says otherwise than the submission of the same bytes, in words by the fact's name."""
    said = {name: str(submission.facts.get(name, "")) for name in upload.declared}
    now = {name: str(value) for name, value in upload.declared.items()}
    if upload.licence:
        said["licence"], now["licence"] = submission.licence, upload.licence
    return {name: f"{said[name] or 'nothing'} → {value}" for name, value in now.items() if value != said[name]}


def facts_of(submission: Submission, upload: Upload) -> dict[str, Any]:
    """Return the facts that the submission would declare after the correction, with which its claims are read.

    Raises:
        RunError: as `correct`.
    """
    _refuse(submission, differences(submission, upload))
    return {**submission.declared, **upload.declared}


@transaction.atomic
def correct(
    *, submission: Submission, upload: Upload, facts: Mapping[str, Any], parsed: ParsedBundle | None, actor: Actor
) -> RowChanges:
    """Take over the upload's facts and licence, and the claims as they are read now; return what this changes.

    `parsed` is the bundle of claims, read with `facts`; None for that of a run, whose results stay as they are. It is
    read before this transaction, which on SQLite keeps all others from writing.

    Raises:
        RunError: it is another submitter's, has no claim any more, a run's configuration would change, or what it
            declares changed after it was read. Nothing changes.
    """
    submission = Submission.objects.select_for_update(of=("self",)).select_related("run").get(pk=submission.pk)
    said = differences(submission, upload)
    submission.declared = facts_of(submission, upload)
    if submission.declared != facts:
        raise RunError(f"what {submission} declares was changed meanwhile: import it once more")
    before = rows_of(submission)
    submission.licence = upload.licence or submission.licence
    changed = RowChanges(0, len(before), 0, 0)
    if parsed is not None:
        if not parsed.claims:
            raise RunError(f"{submission} would have no claim: {parsed.format} as it is read now has none")
        submission.claims.all().delete()
        write_claims(submission, parsed)
        submission.claim_count = len(parsed.claims)
        for name, value in about_columns(submission, parsed).items():
            setattr(submission, name, value)
        changed = compared(before, rows_of(submission))
    if changed.is_none and not said:
        transaction.set_rollback(True)  # the rows keep their ids
        return changed
    submission.save()
    text = "; ".join([*(f"{field_label(name)}: {value}" for name, value in said.items()), f"rows: {changed}"])
    note(AuditEntry.Action.DECLARE, actor, text, submission=submission)
    if "agent" in said:
        open_reviews_of_claims(submission=submission, agent=str(submission.facts["agent"]))
    return changed


def _refuse(submission: Submission, said: Mapping[str, str]) -> None:
    if submission.outcome == Submission.Outcome.TAKEN_DOWN:
        raise RunError(f"{submission}, which has these bytes, was taken down")
    if not said:
        return
    told = "; ".join(f"{field_label(name)}: {value}" for name, value in said.items())
    if submission.submitter_id:
        raise RunError(f"{submission} of {submission.submitter_name} has these bytes and keeps what it says ({told})")
    if submission.run is not None and (fixed := [name for name in said if name in OF_A_CONFIGURATION]):
        names = ", ".join(map(field_label, fixed))
        raise RunError(f"{submission.run} keeps its configuration, so {names} cannot be corrected ({told})")


def _source(submission: Submission) -> tuple[Any, ...]:
    run: Run | None = submission.run
    if run is not None:
        return run.configuration_id, run.suite_id, run.device_class_id, run.repeat, run.protocol
    return submission.about.get("suite"), *(submission.facts.get(name) for name in ("agent", "model", *SETTINGS))
