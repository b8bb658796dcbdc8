"""Code quality on a board: how maintainable and how complex the entries' correct candidates are."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.formatting import plural
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url
from leaderboard.pages.board import screen as board_screen
from leaderboard.pages.board.board import Board, load
from leaderboard.pages.board.query import BoardView, Choice
from leaderboard.pages.protocols import OtherProtocol
from leaderboard.pages.quality import screen
from leaderboard.pages.quality.facts import EntryQuality, by_operator, of_entries
from leaderboard.queries import boards, quality
from leaderboard.tables import Table, first

_HIDDEN = ("version", "protocol")


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityPage(Page):
    suite: str
    suite_version: int
    category: str
    device_class: str
    protocol: str
    other_protocols: tuple[OtherProtocol, ...]  # under which this board has public runs, the newest first
    as_of: str
    entries: tuple[EntryQuality, ...]
    operators: tuple[EntryQuality, ...]  # of each entry on the tasks of each type; empty where all are of one
    notice: str
    operators_shown: Table = field(metadata=SCREEN)  # the part of their table that fits on a page
    protocol_notice: str = field(metadata=SCREEN)
    categories: tuple[Link, ...] = field(metadata=SCREEN)
    views: tuple[Link, ...] = field(metadata=SCREEN)
    choices: tuple[Choice, ...] = field(metadata=SCREEN)
    hidden_inputs: tuple[tuple[str, str], ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)


def build(query: Query, *, suite: str, category: str, device: str) -> QualityPage | None:
    view = BoardView.from_query(query)
    board = load(view, suite, category, device)
    if board is None:
        return None
    stored = quality.of_board(board.suite.id, board.device.slug, view.asked_protocol)
    shown = board_screen.in_order([entry for entry in board.standings.entries if view.shows(entry)], view)
    entries, operators = of_entries(board, shown, stored), by_operator(board, shown, stored)
    operators_table = screen.operators_table(operators)
    protocols = board.protocols("quality", boards.with_runs(board.suite.id))
    return QualityPage(
        title=f"{board.title}: code quality",
        lead=f"The code of correct results on {plural(len(board.tasks), 'task')}. It ranks nothing.",
        subject=board.subject,
        crumbs=(Link("Leaderboards", page_url("home")), Link(board.title, board.other_url("board"))),
        tables=by_slug(screen.entries_table(entries), operators_table),
        suite=board.suite.name,
        suite_version=board.suite.version,
        category=category,
        device_class=device,
        protocol=view.asked_protocol,
        other_protocols=protocols.others,
        as_of=view.as_of,
        entries=entries,
        operators=operators,
        notice=_notice(entries),
        operators_shown=first(operators_table, screen.MOST_ROWS),
        protocol_notice=protocols.notice,
        categories=board.category_links("quality"),
        views=_views(board),
        choices=view.choices(board.standings.entries, board.board_tasks),
        hidden_inputs=view.hidden_inputs(_HIDDEN),
        is_filtered=view.is_filtered,
    )


def _notice(entries: tuple[EntryQuality, ...]) -> str:
    """Say how many correct results have no figures; empty where all have them."""
    missing = sum(one.correct - one.measured for one in entries)
    of = sum(one.correct for one in entries)
    if not missing:
        return ""
    return (
        f"{missing} of {plural(of, 'correct result')} here have no figures: the code does not parse, is too large, or "
        "was not measured yet. A result's page says which."
    )


def _views(board: Board) -> tuple[Link, ...]:
    return (
        Link("Leaderboard", board.other_url("board")),
        Link("Compare", board.other_url("compare")),
        Link("What bundles claim", f"{page_url('kernelbench_x')}#imported-quality-title"),
    )
