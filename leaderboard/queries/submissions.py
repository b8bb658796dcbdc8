"""Submissions as everyone may see them, with their claims, verifications, decisions and audits.

Until a submission's run is public, only its submitter and maintainers see more than its state.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q

from runs.comparisons import BUNDLE_RULE, TASK_RULE
from runs.models import AuditEntry, Claim, ResultAudit, Review, Submission, TaskVerdict, Verification
from runs.models.submissions import next_step_of as next_step_of

RULES = (TASK_RULE, BUNDLE_RULE)
WITHDRAW = AuditEntry.Action.WITHDRAW  # of a submission: its claims left the public pages
SHOWN_RUNS = Q(result__run__state__in=("published", "withdrawn"))


class SubmissionRow(NamedTuple):
    """A submission. Everything from `submitter` on is None unless `is_public`."""

    id: int
    state: str
    outcome: str
    received_at: datetime
    is_public: bool
    submitter: str | None
    format: str | None
    licence: str | None
    digest: str | None
    declared: dict[str, Any] | None
    declared_on: dict[str, str] | None  # name → day, of those declared after the submission
    findings: list[dict[str, Any]] | None
    run: int | None
    configuration: str | None
    trust: str | None
    reproduced_tasks: int | None
    verified_tasks: int | None
    claim_count: int | None
    about: dict[str, Any] | None  # generation, suite, totals, what the bundle states about itself


class ClaimRow(NamedTuple):
    task: str
    attempt: str
    is_known: bool
    status: str
    message: str
    claimed_speedup: float | None
    recomputed_speedup: float | None
    cases: int


class SubmissionAuditRow(NamedTuple):
    at: datetime
    action: str
    actor: str
    reason: str


class VerificationRow(NamedTuple):
    id: int
    measured_run: int
    device: str
    sample: int | None
    asked_at: datetime
    closed_at: datetime | None
    verdict: str
    reproduced: int
    compared: int


class TaskVerdictRow(NamedTuple):
    """A task of a verification: log speedups and the ends of their intervals on each side, None where missing."""

    verification: int
    task: str
    outcome: str
    because: str
    log_difference: float | None
    allowed: float | None
    claimed_result: int
    claimed_status: str
    claimed_log_speedup: float | None
    claimed_low: float | None
    claimed_high: float | None
    claimed_paper_speedup: float | None
    measured_result: int
    measured_status: str
    measured_log_speedup: float | None
    measured_low: float | None
    measured_high: float | None
    measured_paper_speedup: float | None


class ReviewRow(NamedTuple):
    kind: str
    detail: str
    opened_at: datetime
    closed_at: datetime
    decision: str


class AuditRow(NamedTuple):
    id: int
    result: int
    task: str
    configuration: str
    run: int
    verdict: str
    place: str
    quote: str
    reason: str
    at: datetime
    auditor: str
    attempt: int
    taken_back_at: datetime | None
    taken_back_by: str
    taken_back_because: str
    answer: str | None
    decision: str | None


def newest(limit: int) -> list[SubmissionRow]:
    """Submissions, newest first: all uploads, and public claims that a command imported. Runs are listed as runs."""
    rows = Submission.objects.filter(Q(submitter__isnull=False) | Q(is_public=True)).order_by("-received_at", "-id")
    return [_visible(row) for row in rows.values_list(*_SUBMISSION)[:limit]]


def submission(submission_id: int) -> SubmissionRow | None:
    row = Submission.objects.filter(pk=submission_id).values_list(*_SUBMISSION).first()
    return _visible(row) if row else None


def audit_log_of(submission_id: int, is_public: bool) -> list[SubmissionAuditRow]:
    """Entries of the audit log, oldest first. Unless the submission is public they name no actor, and only a withdrawal
    of its claims has its reason, as in the feed.
    """
    rows = AuditEntry.objects.filter(submission=submission_id).order_by("at", "id")
    found = [SubmissionAuditRow(*row) for row in rows.values_list("at", "action", "actor_name", "reason")]
    if is_public:
        return found
    return [row._replace(actor="", reason=row.reason if row.action == WITHDRAW else "") for row in found]


def verifications_of(run_id: int) -> list[VerificationRow]:
    rows = Verification.objects.filter(claimed=run_id).order_by("-asked_at", "-id")
    fields = ("id", "measured", "measured__device_class__slug", "sample", "asked_at", "closed_at", "verdict")
    return [VerificationRow(*row) for row in rows.values_list(*fields, "reproduced_tasks", "compared_tasks")]


def task_verdicts_of(run_id: int) -> list[TaskVerdictRow]:
    """Verdicts of every verification of a run, by task."""
    rows = TaskVerdict.objects.filter(verification__claimed=run_id)
    rows = rows.order_by("-verification", "claimed__result__task__path")
    sides = [
        f"{side}__{name}"
        for side in ("claimed", "measured")
        for name in ("result", "status", "log_speedup", "log_speedup_low", "log_speedup_high", "paper_speedup")
    ]
    fields = ("verification", "claimed__result__task__path", "outcome", "because", "log_difference", "allowed")
    return [TaskVerdictRow(*row) for row in rows.values_list(*fields, *sides)]


def claims_of(submission_id: int, limit: int) -> list[ClaimRow]:
    """Claims in the bundle's order, tasks of the suite first."""
    rows = Claim.objects.filter(submission=submission_id).order_by("-is_known", "id")[:limit]
    fields = ("task", "attempt", "is_known", "status", "message", "claimed_speedup", "recomputed_speedup", "cases")
    return [ClaimRow(*row)._replace(cases=len(row[7])) for row in rows.values_list(*fields)]


def decisions_on(submission_id: int) -> list[ReviewRow]:
    """Questions that a maintainer has decided. Open ones are not public."""
    rows = Review.objects.filter(submission=submission_id, closed_at__isnull=False).order_by("closed_at", "id")
    found = rows.values_list("kind", "detail", "opened_at", "closed_at", "decision")
    return [ReviewRow(kind, detail, since, at, text) for kind, detail, since, at, text in found if at]


def audits(*, result: int | None = None, run: int | None = None, limit: int = 500) -> list[AuditRow]:
    """Audits of runs that are or were public, newest first; of a single result or run, or of all."""
    rows = ResultAudit.objects.filter(SHOWN_RUNS)
    if result is not None:
        rows = rows.filter(result=result)
    if run is not None:
        rows = rows.filter(result__run=run)
    fields = (
        *("id", "result", "result__task__path", "result__run__configuration__slug", "result__run", "verdict"),
        *("place", "quote", "reason", "at", "auditor_name", "attempt__number"),
        *("taken_back_at", "taken_back_by_name", "taken_back_because", "replies__detail", "replies__decision"),
    )
    return [AuditRow(*row) for row in rows.order_by("-at", "-id").values_list(*fields)[:limit]]


def _visible(row: tuple[Any, ...]) -> SubmissionRow:
    """The row of `_SUBMISSION` without what is not public."""
    public, private, (run_state, claims_are_public) = row[:4], row[4:-2], row[-2:]
    is_public = claims_are_public or run_state in ("published", "withdrawn")
    known: dict[str, Any] = dict(zip(SubmissionRow._fields, (*public, is_public, *private), strict=True))
    return SubmissionRow(**known if is_public else known | dict.fromkeys(SubmissionRow._fields[5:]))


_SUBMISSION = (
    *("id", "state", "outcome", "received_at", "submitter_name", "format", "licence", "digest"),
    *("declared", "declared_on", "findings"),
    *("run", "run__configuration__slug", "run__trust", "run__reproduced_tasks", "run__verified_tasks"),
    *("claim_count", "about", "run__state", "is_public"),
)
