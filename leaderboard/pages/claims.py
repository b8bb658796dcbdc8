"""The list of what others claim: every public bundle of another benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from leaderboard.filters import LAST_PAGE
from leaderboard.formatting import NONE, printable, rate
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, entry_name, moment_cell, page_url
from leaderboard.queries import claims
from leaderboard.queries.claims import ClaimedBundleRow
from leaderboard.tables import Cell, Field, Table, hidden, table

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class ClaimedBundle:
    """A bundle of claims. Agent and model are self-declared; a suite of this site is the denominator, if it is one."""

    submission: int
    received_at: datetime
    format: str
    agent: str
    model: str | None
    licence: str | None  # None: not stated
    claims: int
    suite: str | None
    suite_tasks: int
    tasks: int  # of the suite, with a claim
    passed: int  # of them, claimed to pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsPage(Page):
    bundles: tuple[ClaimedBundle, ...]
    next: str | None
    previous: str | None


def build(query: Query) -> ClaimsPage:
    page = min(max(int(query.get("page") or 1), 1), LAST_PAGE)
    rows = claims.newest(PAGE_SIZE + 1, (page - 1) * PAGE_SIZE)
    bundles = tuple(map(_bundle, rows[:PAGE_SIZE]))
    return ClaimsPage(
        title="Claims",
        lead="Results of other benchmarks as their authors state them. None were measured here, and none are ranked.",
        crumbs=(Link("Papers", page_url("published")),),
        tables=by_slug(_table(bundles)),
        bundles=bundles,
        next=f"?page={page + 1}" if len(rows) > PAGE_SIZE else None,
        previous=f"?page={page - 1}" if page > 1 else None,
    )


def _bundle(row: ClaimedBundleRow) -> ClaimedBundle:
    return ClaimedBundle(
        submission=row.submission,
        received_at=row.received_at,
        format=row.format,
        agent=row.agent,
        model=row.model or None,
        licence=row.licence or None,
        claims=row.claims,
        suite=row.about.get("suite"),
        suite_tasks=row.about.get("suite_tasks", 0),
        tasks=row.tasks,
        passed=row.passed,
    )


def _table(bundles: tuple[ClaimedBundle, ...]) -> Table:
    columns: tuple[Field[ClaimedBundle], ...] = (
        Field("name", "Claimed by", _name_cell),
        hidden("submission", lambda one: one.submission),
        Field("format", "Benchmark", lambda one: Cell(one.format, one.format, note=printable(one.suite or ""))),
        Field("claims", "Claims", lambda one: count_cell(one.claims), is_number=True),
        Field("passed", "Claimed to pass", _passed_cell),
        Field("licence", "Licence", lambda one: Cell(one.licence or "not stated", one.licence)),
        Field("received_at", "Received", lambda one: moment_cell(one.received_at)),
    )
    empty = "No claims have been published yet. The page Submit says how to submit some."
    return table("claims", "Published bundles of claims, newest first", columns, bundles, empty)


def _name_cell(one: ClaimedBundle) -> Cell:
    name = entry_name(one.agent, one.model) or NONE
    return Cell(name, name, page_url("submission", one.submission))


def _passed_cell(one: ClaimedBundle) -> Cell:
    """Of the whole suite, since a task without a claim counts as not produced; a dash where the suite is unknown."""
    return Cell(rate(one.passed, one.suite_tasks) if one.suite_tasks else NONE, one.passed)
