"""The page of audits: verdicts of people on results, with the lines they quote. Audits are public and permanent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE
from leaderboard.pages.base import Link, Page, Query, by_slug, moment_cell, page_url
from leaderboard.queries import submissions
from leaderboard.queries.submissions import AuditRow
from leaderboard.tables import Cell, Field, Table, table, text_field
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
    values = row._asdict() | {"audit": row.id, "place": row.place or None, "quote": row.quote or None}
    values["label"] = AUDITS[row.verdict].label
    del values["id"]
    return AuditLine(**values)


def audits_table(rows: Sequence[AuditRow]) -> Table:
    columns: tuple[Field[AuditRow], ...] = (
        Field("result", "Result", _result_cell),
        Field("verdict", "Verdict", lambda row: word_cell(AUDITS[row.verdict], row.verdict)),
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


def _result_cell(row: AuditRow) -> Cell:
    return Cell(row.task.rpartition("/")[2], row.result, page_url("result", row.result), note=row.configuration)
