"""The guide to submitting an agent's results, and the latest uploads."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from evaluator.bundles.checking import FORMATS
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE
from leaderboard.pages.base import Page, Query, by_slug, count_cell, moment_cell, page_url
from leaderboard.queries import submissions
from leaderboard.queries.submissions import SubmissionRow
from leaderboard.tables import Cell, Field, Table, table
from leaderboard.words import SUBMISSION_STATES, word_cell

SHOWN = 20


@dataclass(frozen=True, slots=True)
class SubmissionSummary:
    """A submission. What is private until its run is public is None."""

    submission: int
    state: str
    received_at: datetime
    configuration: str | None
    run: int | None
    claims: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitPage(Page):
    submissions: tuple[SubmissionSummary, ...]
    formats: tuple[tuple[str, str], ...] = field(metadata=SCREEN)  # name, and the files it is recognised by


def build(query: Query) -> SubmitPage:
    rows = submissions.newest(SHOWN)
    return SubmitPage(
        title="Add your agent in 10 minutes",
        lead="Get a task, write a kernel, check it, run a suite, submit the bundle. A CPU is enough to start.",
        tables=by_slug(_table(rows)),
        submissions=tuple(
            SubmissionSummary(row.id, row.state, row.received_at, row.configuration, row.run, row.claim_count or None)
            for row in rows
        ),
        formats=tuple((form.NAME, form.MARKS) for form in FORMATS),
    )


def _table(rows: list[SubmissionRow]) -> Table:
    columns: tuple[Field[SubmissionRow], ...] = (
        Field(
            "submission",
            "Submission",
            lambda row: Cell(f"Submission {row.id}", row.id, page_url("submission", row.id)),
        ),
        Field("state", "State", lambda row: word_cell(SUBMISSION_STATES[row.state], row.state)),
        Field("received_at", "Received", lambda row: moment_cell(row.received_at)),
        Field("configuration", "Configuration", lambda row: Cell(row.configuration or NONE, row.configuration)),
        Field(
            "run",
            "Run",
            lambda row: Cell(f"Run {row.run}", row.run, page_url("run", row.run)) if row.run else Cell(NONE),
        ),
        Field("claims", "Claims", lambda row: count_cell(row.claim_count or None), is_number=True),
    )
    empty = "Nobody has uploaded a bundle yet. Yours could be the first."
    caption = f"The latest uploads, {SHOWN} at most. Runs that maintainers imported themselves are among all runs"
    return table("submissions", caption, columns, rows, empty)
