"""One submission as everyone sees it: its state, and once its run is public what was claimed and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from evaluator.wording import field_label
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, moment, plural, short
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url
from leaderboard.pages.result.audits import AuditLine, audit_of, audits_table
from leaderboard.pages.submission.facts import (
    BundleTotal,
    Decision,
    SubmissionClaim,
    SubmissionFinding,
    SubmissionVerification,
    TimelineStep,
    VerifiedTask,
    declared_facts,
    findings_by_code,
    undeclared_facts,
    verification_of,
    verified_task,
)
from leaderboard.pages.submission.screen import (
    claims_table,
    decisions_table,
    measured_table,
    timeline_table,
    totals_table,
    verifications_table,
)
from leaderboard.queries import submissions
from leaderboard.queries.submissions import RULES, WITHDRAW, SubmissionAuditRow, SubmissionRow, next_step_of
from leaderboard.words import SUBMISSION_OUTCOMES, SUBMISSION_STATES, Word
from runs.trust import trust_text

MOST_CLAIMS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionPage(Page):
    """Everything from `submitter` to `audits` is empty until the run is public."""

    submission: int
    state: str
    outcome: str | None
    received_at: datetime
    timeline: tuple[TimelineStep, ...]
    is_public: bool
    submitter: str | None
    format: str | None
    licence: str | None
    digest: str | None
    declared: dict[str, str]  # by the bundle or its submitter, without proof
    declared_on: dict[str, str]  # the day of each that its submitter declared later
    undeclared: tuple[str, ...]  # what its format lacks and nobody declared
    suite: str | None
    suite_tasks: int  # the denominator
    absent_tasks: int  # of them, missing from the bundle
    totals: tuple[BundleTotal, ...]
    findings: tuple[SubmissionFinding, ...]
    claims: tuple[SubmissionClaim, ...]  # the first ones
    claim_count: int
    run: int | None
    verifications: tuple[SubmissionVerification, ...]
    measured: tuple[VerifiedTask, ...]
    decisions: tuple[Decision, ...]
    audits: tuple[AuditLine, ...]
    word: Word = field(metadata=SCREEN)
    next_step: str = field(metadata=SCREEN)
    rules: tuple[str, ...] = field(metadata=SCREEN)
    facts: tuple[tuple[str, str, str], ...] = field(metadata=SCREEN)


def build(query: Query, *, submission: int) -> SubmissionPage | None:
    row = submissions.submission(submission)
    if row is None:
        return None
    audit_log = submissions.audit_log_of(row.id, row.is_public)
    run = row.run if row.is_public else None
    verifications = submissions.verifications_of(run) if run else []
    measured = tuple(verified_task(one) for one in submissions.task_verdicts_of(run)) if run else ()
    decided = submissions.decisions_on(row.id) if run else []
    audits = submissions.audits(run=run) if run else []
    claims = submissions.claims_of(row.id, MOST_CLAIMS) if row.claim_count else []
    about = row.about or {}
    totals = tuple(BundleTotal(**one) for one in about.get("totals", ()))
    return SubmissionPage(
        title=f"Submission {row.id}",
        lead=_lead(row, audit_log),
        crumbs=(Link("Submit", page_url("submit")),),
        tables=by_slug(
            timeline_table(audit_log),
            verifications_table(verifications),
            measured_table(measured),
            claims_table(claims, row.claim_count or 0),
            totals_table(totals),
            decisions_table(decided),
            audits_table(audits),
        ),
        **_identity(row),
        timeline=tuple(TimelineStep(one.at, one.action, one.actor or None, one.reason or None) for one in audit_log),
        suite=about.get("suite"),
        suite_tasks=about.get("suite_tasks", 0),
        absent_tasks=about.get("absent", 0),
        totals=totals,
        findings=findings_by_code(row),
        claims=tuple(SubmissionClaim(**one._asdict()) for one in claims),
        claim_count=row.claim_count or 0,
        run=run,
        verifications=tuple(verification_of(one) for one in verifications),
        measured=measured,
        decisions=tuple(Decision(one.kind, one.detail, one.closed_at, one.decision) for one in decided),
        audits=tuple(audit_of(one) for one in audits),
        word=SUBMISSION_STATES[row.state],
        next_step=next_step_of(row.state, is_public=row.is_public),
        rules=RULES if verifications else (),
        facts=_facts(row),
    )


def _identity(row: SubmissionRow) -> dict[str, Any]:
    """The page's fields on state, submitter and declared facts."""
    return {
        "submission": row.id,
        "state": row.state,
        "outcome": row.outcome or None,
        "received_at": row.received_at,
        "is_public": row.is_public,
        "submitter": row.submitter,
        "format": row.format,
        "licence": row.licence or None,
        "digest": row.digest,
        "declared": declared_facts(row),
        "declared_on": dict(row.declared_on or {}),
        "undeclared": undeclared_facts(row),
    }


def _lead(row: SubmissionRow, audit_log: Sequence[SubmissionAuditRow]) -> str:
    if row.is_public:
        return ""
    if any(one.action == WITHDRAW for one in audit_log):
        return "Its claims were withdrawn and are not public any more. The timeline says why."
    if row.state == "rejected" or row.outcome == "taken_down":
        return "Its contents are not public."
    return "Its contents become public together with its run."


def _facts(row: SubmissionRow) -> tuple[tuple[str, str, str], ...]:
    facts = [("Received", moment(row.received_at), "")]
    if row.outcome:
        facts.append(("Closed", SUBMISSION_OUTCOMES[row.outcome], ""))
    if not row.is_public:
        return tuple(facts)
    if row.run and row.configuration and row.trust:
        facts += [
            ("Run", f"Run {row.run}", page_url("run", row.run)),
            ("Configuration", row.configuration, page_url("configuration", row.configuration)),
            ("Trust", trust_text(row.trust, row.reproduced_tasks, row.verified_tasks), f"{page_url('metrics')}#trust"),
        ]
    facts += [
        ("Submitter", row.submitter or NONE, ""),
        ("Licence", row.licence or "not stated", ""),
        ("Format", row.format or NONE, ""),
        ("Bundle", short(row.digest or "") or NONE, ""),
    ]
    about = row.about or {}
    if tasks := about.get("suite_tasks"):
        missing = f", {about['absent']} missing, counted as not produced" if about.get("absent") else ""
        facts.append(("Suite", f"{about['suite']}: {plural(tasks, 'task')}{missing}", ""))
    facts += [(field_label(name), f"{value} ({_origin(row, name)})", "") for name, value in declared_facts(row).items()]
    if undeclared := undeclared_facts(row):
        facts.append(("Not stated", ", ".join(map(field_label, undeclared)), ""))
    return tuple(facts)


def _origin(row: SubmissionRow, name: str) -> str:
    day = (row.declared_on or {}).get(name)
    return f"self-declared on {date.fromisoformat(day):%-d %b %Y}" if day else "self-declared"
