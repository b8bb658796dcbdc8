"""Iterations over everything: boards that have agents' sessions, and how often each kind of edit was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, page_url, protocol_parameter, query_string
from leaderboard.pages.iterations import screen
from leaderboard.pages.iterations.facts import KindCount, kind_counts, not_known, pairs_of
from leaderboard.queries import iterations as queries
from leaderboard.queries.iterations import SessionBoardRow
from leaderboard.tables import Cell, Field, Table, hidden, table, text_field
from leaderboard.words import ALL, suite_name

PAPER = (
    "KernelBench-X counted the kinds of edit of 352 neighbouring pairs of GEAK (arXiv 2605.04956, section 4.4): no "
    "substantial change 102, mask fixes 101, delegated operators 65, data types and casts 36. It does not say how it "
    "recognised them, and names one kind for a pair, where a pair here may have several. Compare with care."
)


@dataclass(frozen=True, slots=True)
class SessionBoard:
    """A current board with public sessions, under one protocol."""

    suite: str
    suite_version: int
    device_class: str
    protocol: str
    entries: int
    sessions: int
    versions: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationsPage(Page):
    boards: tuple[SessionBoard, ...]
    pairs: int  # of public sessions
    pairs_not_known: int  # of them, those whose kinds of edit are not known
    kinds: tuple[KindCount, ...]
    imported_pairs: int  # of public corpora from elsewhere
    imported_pairs_not_known: int
    imported_kinds: tuple[KindCount, ...]
    paper: str = field(metadata=SCREEN)


def build(query: Query) -> IterationsPage:
    boards = queries.boards()
    own, imported = queries.kinds_of_sessions(), queries.kinds_of_claims()
    kinds, imported_kinds = kind_counts(own), kind_counts(imported)
    return IterationsPage(
        title="Iterations",
        lead="Agents have versions checked before they submit one. What they changed from one version to the next, and "
        "what became of it.",
        crumbs=(Link("Analysis", page_url("analysis")),),
        tables=by_slug(
            _boards_table(boards),
            screen.kinds_table(
                "kinds",
                "Kinds of edit between neighbouring versions of public sessions",
                kinds,
                "sessions",
                "No public session has two versions yet. Run an agent that checks its work, and publish its run.",
            ),
            screen.kinds_table(
                "imported_kinds",
                "The same in imported corpora, whose outcomes are claimed and not measured here",
                imported_kinds,
                "corpora",
                "No corpus of refinement rounds is public here yet. The page Submit says how to submit one.",
            ),
            screen.meanings_table(),
        ),
        boards=tuple(_board(row) for row in boards),
        pairs=pairs_of(own),
        pairs_not_known=not_known(own),
        kinds=kinds,
        imported_pairs=pairs_of(imported),
        imported_pairs_not_known=not_known(imported),
        imported_kinds=imported_kinds,
        paper=PAPER,
    )


def _board(row: SessionBoardRow) -> SessionBoard:
    counts = (row.entries, row.sessions, row.versions)
    return SessionBoard(row.suite, row.version, row.device, row.protocol, *counts, _url(row))


def _url(row: SessionBoardRow) -> str:
    given = {"protocol": protocol_parameter(row.protocol)}
    return page_url("trajectory", row.suite, ALL, row.device) + query_string(given, ("protocol",))


def _boards_table(rows: Sequence[SessionBoardRow]) -> Table:
    columns: tuple[Field[SessionBoardRow], ...] = (
        Field("suite", "Suite", _suite_cell),
        Field("device_class", "Device class", lambda row: Cell(row.device_title, row.device, note=row.device)),
        text_field("protocol", "Protocol", lambda row: row.protocol, is_code=True),
        Field("entries", "Entries", lambda row: count_cell(row.entries), is_number=True),
        Field("sessions", "Sessions", lambda row: count_cell(row.sessions), is_number=True),
        Field("versions", "Versions checked", lambda row: count_cell(row.versions), is_number=True),
        hidden("suite_version", lambda row: row.version),
    )
    empty = (
        "No agent's session is public yet. `manage.py start_runs` starts an agent on a suite; its sessions are listed "
        "once the run is published."
    )
    return table("boards", "Leaderboards with agents' sessions, over all categories", columns, rows, empty)


def _suite_cell(row: SessionBoardRow) -> Cell:
    return Cell(suite_name(row.suite_title, row.suite), row.suite, _url(row), f"{row.suite}@{row.version}")
