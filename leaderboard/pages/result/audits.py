"""The page of audits: verdicts of people on results, with the lines they quote. Audits are public and permanent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, moment
from leaderboard.pages.base import Link, Page, Query, by_slug, moment_cell, page_url
from leaderboard.queries import submissions
from leaderboard.queries.submissions import AuditRow
from leaderboard.tables import Cell, Field, Table, hidden, table, text_field
from leaderboard.words import AUDITS, word_cell


@dataclass(frozen=True, slots=True)
class AuditLine:
    audit: int
    result: int
    task: str
    configuration: str
    run: int
    verdict: str
    place: str | None
    quote: str | None
    reason: str
    at: datetime
    auditor: str
    attempt: int
    taken_back_at: datetime | None  # since then it counts no more
    taken_back_by: str | None
    taken_back_because: str | None
    answer: str | None
    decision: str | None
    label: str = field(metadata=SCREEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditsPage(Page):
    audits: tuple[AuditLine, ...]


def build(query: Query) -> AuditsPage:
    rows = submissions.audits()
    return AuditsPage(
        title="Audits",
        lead="Verdicts of people who inspected results. A hacked result counts as not correct; an entry with a "
        "contaminated one, or one affected by a harness fault, is not ranked.",
        crumbs=(Link("Analysis", page_url("analysis")),),
        tables=by_slug(audits_table(rows)),
        audits=tuple(audit_of(row) for row in rows),
    )


def audit_of(row: AuditRow) -> AuditLine:
    empty = ("place", "quote", "taken_back_by", "taken_back_because")
    values = row._asdict() | {"audit": row.id} | {name: getattr(row, name) or None for name in empty}
    values["label"] = AUDITS[row.verdict].label
    del values["id"]
    return AuditLine(**values)


def audits_table(rows: Sequence[AuditRow]) -> Table:
    columns: tuple[Field[AuditRow], ...] = (
        Field("result", "Result", _result_cell),
        Field("verdict", "Verdict", _verdict_cell),
        hidden("taken_back_at", lambda row: row.taken_back_at.isoformat() if row.taken_back_at else None, type="text"),
        text_field("reason", "Reason", lambda row: row.reason),
        Field("quote", "Quoted lines", lambda row: Cell(row.quote or NONE, row.quote, note=row.place), is_code=True),
        Field("at", "Time", lambda row: moment_cell(row.at)),
        text_field("auditor", "Auditor", lambda row: row.auditor),
        Field(
            "answer",
            "Submitter's reply",
            lambda row: Cell(row.answer or NONE, row.answer, note=row.decision or ""),
        ),
    )
    empty = "No result has been audited yet."
    return table("audits", "Audits, newest first", columns, rows, empty)


def _verdict_cell(row: AuditRow) -> Cell:
    cell = word_cell(AUDITS[row.verdict], row.verdict)
    if row.taken_back_at is None:
        return cell
    note = f"taken back on {moment(row.taken_back_at)} by {row.taken_back_by}: {row.taken_back_because}"
    return replace(cell, tone="ours", mark="○", note=note)


def _result_cell(row: AuditRow) -> Cell:
    return Cell(row.task.rpartition("/")[2], row.result, page_url("result", row.result), note=row.configuration)
