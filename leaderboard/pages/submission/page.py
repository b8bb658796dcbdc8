"""One submission as everybody sees it: how far it is, and once its run is public what was claimed and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from evaluator.wording import spelled
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, moment, plural, sentence, short
from leaderboard.pages.base import Link, Page, Query, by_slug, moment_cell, page_url
from leaderboard.pages.result.audits import AuditLine, audit_of, audits_table
from leaderboard.pages.submission.claims import claims_table, totals_table
from leaderboard.pages.submission.verified import Verified, VerifiedTask, rounds_table, tasks_table, verified
from leaderboard.queries import submissions
from leaderboard.queries.submissions import NEXT_STEPS, RULES, ReviewRow, SubmissionAuditRow, SubmissionRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import REVIEWS, SUBMISSION_OUTCOMES, SUBMISSION_STATES, TRAIL, VERIFICATIONS, Word

MOST_CLAIMS = 500
MOST_OF_A_KIND = 3


@dataclass(frozen=True, slots=True)
class Step:
    at: datetime
    action: str
    actor: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    kind: str
    detail: str
    decided_at: datetime
    decision: str


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """Of a bundle of another benchmark: as claimed, and by the format's rule from its own times."""

    task: str
    attempt: str
    is_known: bool
    status: str
    message: str
    claimed_speedup: float | None
    recomputed_speedup: float | None
    cases: int


@dataclass(frozen=True, slots=True)
class TotalLine:
    """A number about the whole bundle; what JSON has no form for is spelled."""

    name: str
    claimed: float | int | str | bool | None
    recomputed: float | int | str | bool | None


@dataclass(frozen=True, slots=True)
class FoundAt:
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class SubmissionFinding:
    """All findings of one kind; a bundle may have thousands of them."""

    code: str
    count: int
    first: tuple[FoundAt, ...]

    @property
    def more(self) -> int:
        return self.count - len(self.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionPage(Page):
    """Everything from `submitter` to `audits` is empty until the run is public."""

    submission: int
    state: str
    outcome: str | None
    received_at: datetime
    timeline: tuple[Step, ...]
    is_told: bool
    submitter: str | None
    format: str | None
    licence: str | None
    digest: str | None
    declared: dict[str, str]  # said by the bundle or its submitter, proved by nothing
    declared_on: dict[str, str]  # the day of each that its submitter said after hand-in
    not_said: tuple[str, ...]  # what its format lacks and nobody said
    suite: str | None
    suite_tasks: int  # the denominator
    absent_tasks: int  # of them, those that the bundle lacks
    totals: tuple[TotalLine, ...]
    findings: tuple[SubmissionFinding, ...]
    claims: tuple[ClaimLine, ...]  # the first ones
    claim_count: int
    run: int | None
    verifications: tuple[Verified, ...]
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
    trail = submissions.trail_of(row.id, row.is_told)
    run = row.run if row.is_told else None
    asked = submissions.verifications_of(run) if run else []
    compared = submissions.task_verdicts_of(run) if run else []
    decided = submissions.decisions_on(row.id) if run else []
    looked = submissions.audits(run=run) if run else []
    claims = submissions.claims_of(row.id, MOST_CLAIMS) if row.claim_count else []
    about = row.about or {}
    totals = tuple(TotalLine(**one) for one in about.get("totals", ()))
    return SubmissionPage(
        title=f"Submission {row.id}",
        lead=_lead(row),
        crumbs=(Link("Submit", page_url("submit")),),
        tables=by_slug(
            _timeline(trail),
            rounds_table(asked),
            tasks_table(compared),
            claims_table(claims, row.claim_count or 0),
            totals_table(totals),
            _decisions(decided),
            audits_table(looked),
        ),
        **_identity(row),
        timeline=tuple(Step(one.at, one.action, one.actor or None, one.reason or None) for one in trail),
        suite=about.get("suite"),
        suite_tasks=about.get("suite_tasks", 0),
        absent_tasks=about.get("absent", 0),
        totals=totals,
        findings=_by_kind(row),
        claims=tuple(ClaimLine(**one._asdict()) for one in claims),
        claim_count=row.claim_count or 0,
        run=run,
        **verified(asked, compared),
        decisions=tuple(Decision(one.kind, one.detail, one.closed_at, one.decision) for one in decided),
        audits=tuple(audit_of(one) for one in looked),
        word=SUBMISSION_STATES[row.state],
        next_step=NEXT_STEPS[row.state],
        rules=RULES if asked else (),
        facts=_facts(row),
    )


def _identity(row: SubmissionRow) -> dict[str, Any]:
    """Whose it is, how far, and what was said of it."""
    return {
        "submission": row.id,
        "state": row.state,
        "outcome": row.outcome or None,
        "received_at": row.received_at,
        "is_told": row.is_told,
        "submitter": row.submitter,
        "format": row.format,
        "licence": row.licence,
        "digest": row.digest,
        "declared": _declared(row),
        "declared_on": dict(row.declared_on or {}),
        "not_said": _not_said(row),
    }


def _lead(row: SubmissionRow) -> str:
    if row.is_told:
        return ""
    if row.state == "rejected" or row.outcome == "taken_down":
        return "What is in it is public nowhere."
    return "What is in it becomes public with its run."


def _facts(row: SubmissionRow) -> tuple[tuple[str, str, str], ...]:
    facts = [("Received", moment(row.received_at), "")]
    if row.outcome:
        facts.append(("Closed", SUBMISSION_OUTCOMES[row.outcome], ""))
    if not row.is_told:
        return tuple(facts)
    counts = (
        f" on {row.reproduced_tasks} of {plural(row.verified_tasks, 'task')}" if row.verified_tasks is not None else ""
    )
    if row.run and row.configuration:
        facts += [
            ("Run", f"Run {row.run}", page_url("run", row.run)),
            ("Configuration", row.configuration, page_url("configuration", row.configuration)),
            ("Verification", f"{VERIFICATIONS[row.verification or 'none']}{counts}", ""),
        ]
    facts += [
        ("Submitter", row.submitter or NONE, ""),
        ("Licence", row.licence or NONE, ""),
        ("Format", row.format or NONE, ""),
        ("Bundle", short(row.digest or "") or NONE, ""),
    ]
    about = row.about or {}
    if tasks := about.get("suite_tasks"):
        missing = f", {about['absent']} missing, which count as not produced" if about.get("absent") else ""
        facts.append(("Suite", f"{about['suite']}: {plural(tasks, 'task')}{missing}", ""))
    facts += [(spelled(name), f"{value} ({_how(row, name)})", "") for name, value in _declared(row).items()]
    if absent := _not_said(row):
        facts.append(("Not said", ", ".join(map(spelled, absent)), ""))
    return tuple(facts)


def _by_kind(row: SubmissionRow) -> tuple[SubmissionFinding, ...]:
    kinds = dict[str, list[FoundAt]]()
    for one in row.findings or ():
        kinds.setdefault(one["code"], []).append(FoundAt(one["place"], one["text"]))
    return tuple(SubmissionFinding(code, len(found), tuple(found[:MOST_OF_A_KIND])) for code, found in kinds.items())


def _declared(row: SubmissionRow) -> dict[str, str]:
    """By the bundle, and over it by the submitter."""
    said = {**(row.about or {}).get("said", {}), **(row.declared or {})}
    return {name: str(value) for name, value in said.items()}


def _how(row: SubmissionRow, name: str) -> str:
    day = (row.declared_on or {}).get(name)
    return f"self-declared on {date.fromisoformat(day):%-d %b %Y}" if day else "self-declared"


def _not_said(row: SubmissionRow) -> tuple[str, ...]:
    """The licence is always given."""
    return tuple(name for name in (row.about or {}).get("asked", ()) if name not in (*_declared(row), "licence"))


def _timeline(trail: Sequence[SubmissionAuditRow]) -> Table:
    columns = (Column("at", "When"), Column("action", "What"), Column("actor", "Who"), Column("reason", "Note"))
    rows = [
        (
            moment_cell(one.at),
            Cell(TRAIL[one.action], one.action),
            Cell(one.actor or NONE, one.actor or None),
            Cell(sentence(one.reason) or NONE, one.reason or None),
        )
        for one in trail
    ]
    return table("timeline", "What happened, oldest first", columns, rows, "Nothing has happened yet.")


def _decisions(decided: Sequence[ReviewRow]) -> Table:
    columns = (
        *(Column("kind", "Question"), Column("detail", "What was seen")),
        *(Column("decided_at", "Decided"), Column("decision", "Decision")),
    )
    rows = [
        (
            Cell(REVIEWS[one.kind], one.kind),
            Cell(one.detail, one.detail),
            moment_cell(one.closed_at),
            Cell(one.decision, one.decision),
        )
        for one in decided
    ]
    return table("decisions", "Questions that maintainers decided", columns, rows, "No question was decided.")
