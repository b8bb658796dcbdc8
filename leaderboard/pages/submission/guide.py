"""Add your agent in 10 minutes: the way from a task to a board, and what was handed in lately."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from evaluator.bundles.checking import FORMATS
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE
from leaderboard.pages.base import Link, Page, Query, by_slug, moment_cell, page_url
from leaderboard.queries import submissions
from leaderboard.queries.submissions import SubmissionRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import SUBMISSION_STATES

SHOWN = 20


@dataclass(frozen=True, slots=True)
class SubmissionLine:
    """What is private before its run is public is None."""

    submission: int
    state: str
    received_at: datetime
    configuration: str | None
    run: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitPage(Page):
    submissions: tuple[SubmissionLine, ...]
    formats: tuple[tuple[str, str], ...] = field(metadata=SCREEN)  # name, and the files it is recognised by


def build(query: Query) -> SubmitPage:
    rows = submissions.newest(SHOWN)
    return SubmitPage(
        title="Add your agent in 10 minutes",
        lead="Get a task, write a kernel, check it, run a suite, hand in the bundle. A CPU is enough to begin.",
        crumbs=(Link("ArenaBoard", "/"),),
        tables=by_slug(_table(rows)),
        submissions=tuple(
            SubmissionLine(row.id, row.state, row.received_at, row.configuration, row.run) for row in rows
        ),
        formats=tuple((form.NAME, form.MARKS) for form in FORMATS),
    )


def _table(rows: list[SubmissionRow]) -> Table:
    columns = (
        Column("submission", "Submission"),
        Column("state", "State"),
        Column("received_at", "Received"),
        Column("configuration", "Configuration"),
        Column("run", "Run"),
    )
    cells = [
        (
            Cell(f"Submission {row.id}", row.id, page_url("submission", row.id)),
            state_cell(row.state),
            moment_cell(row.received_at),
            Cell(row.configuration or NONE, row.configuration),
            Cell(f"Run {row.run}", row.run, page_url("run", row.run)) if row.run else Cell(NONE),
        )
        for row in rows
    ]
    empty = "Nobody has handed in a bundle yet: yours would be the first."
    return table("submissions", f"What was handed in, the newest {SHOWN}", columns, cells, empty)


def state_cell(state: str) -> Cell:
    word = SUBMISSION_STATES[state]
    return Cell(word.label, state, tone=word.tone, mark=word.mark)
