"""Audits: what people found when they looked at a result, with the lines that show it. Public, and never taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE
from leaderboard.pages.base import Link, Page, Query, by_slug, moment_cell, page_url
from leaderboard.queries import submissions
from leaderboard.queries.submissions import AuditRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import AUDITS


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
        lead="What people found when they looked. Hacked, contaminated and harness fault rank nowhere; the rows stay.",
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
    columns = (
        Column("result", "Result"),
        Column("verdict", "Verdict"),
        Column("reason", "Why"),
        Column("quote", "Lines", is_code=True),
        Column("at", "When"),
        Column("auditor", "By"),
        Column("answer", "The submitter's answer"),
    )
    empty = "Nobody has audited a result. What is on hold is said on each result's page."
    return table("audits", "Audits, newest first", columns, [_cells(row) for row in rows], empty)


def _cells(row: AuditRow) -> tuple[Cell, ...]:
    word = AUDITS[row.verdict]
    return (
        Cell(row.task.rpartition("/")[2], row.result, page_url("result", row.result), note=row.configuration),
        Cell(word.label, row.verdict, tone=word.tone, mark=word.mark),
        Cell(row.reason, row.reason),
        Cell(row.quote or NONE, row.quote, note=row.place),
        moment_cell(row.at),
        Cell(row.auditor, row.auditor),
        Cell(row.answer or NONE, row.answer, note=row.decision or ""),
    )
