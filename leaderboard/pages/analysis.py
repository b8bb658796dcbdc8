"""The index of pages that show all results, or the results on one leaderboard, from one side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.records.record import PROTOCOL
from leaderboard.formatting import NONE
from leaderboard.pages.base import Page, Query, by_slug, page_url, protocol_parameter, query_string
from leaderboard.pages.home.boards import board_title, current_boards
from leaderboard.pages.protocols import named
from leaderboard.queries.suite_boards import SuiteBoardsRow
from leaderboard.tables import Cell, Field, Table, fields, table, text_field
from leaderboard.words import ALL

# Route, title and what the page shows, in the order in which they are listed.
VIEWS = (
    ("generalizations", "Unseen cases", "How kernels that pass the seen cases do on cases that no agent has seen."),
    ("failures", "Failure analysis", "Outcomes of results and reasons, with an example of each."),
    ("behaviour", "Agent behaviour", "What candidates change compared with their baselines, and how they ended."),
    ("iterations", "Iterations", "What agents changed from one checked version to the next, and what became of it."),
    ("portability", "Hardware portability", "The same configuration on several device classes, task by task."),
    ("cost", "Cost", "Tokens, time and money against speedup, here and in a paper."),
    ("audits", "Audits", "Findings of people who inspected a result, with the lines that show it."),
    ("noise", "Host noise", "Calibrations of every host: a kernel timed against itself, and what changed since."),
    ("published", "Papers", "Tables of papers as printed, never ranked with results measured here."),
)
OF_A_BOARD = (
    ("board", "Leaderboard"),
    ("distribution", "Distribution"),
    ("efficiency", "Hardware efficiency"),
    ("compare", "Comparison"),
    ("attribution", "Attribution"),
    ("generalization", "Unseen cases"),
    ("quality", "Code quality"),
    ("trajectory", "Iterations"),
)
NEED_A_CLOCK = ("distribution", "efficiency")


@dataclass(frozen=True, slots=True)
class View:
    title: str
    shows: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisPage(Page):
    views: tuple[View, ...]
    boards: tuple[dict[str, str], ...]  # of each board the addresses of its pages, over all categories


def build(query: Query) -> AnalysisPage:
    views = tuple(View(title, shows, page_url(route)) for route, title, shows in VIEWS)
    found = current_boards()
    return AnalysisPage(
        title="Analysis",
        lead="A leaderboard says who is ahead. These pages say why, and on which tasks.",
        tables=by_slug(_views_table(views), _boards_table(found)),
        views=views,
        boards=tuple(_pages(board) for board in found),
    )


def _pages(board: SuiteBoardsRow) -> dict[str, str]:
    """Page name → address for each page that this board has; those that need a clock only where it has one."""
    names = [name for name, _ in OF_A_BOARD if not (board.is_functional and name in NEED_A_CLOCK)]
    query = query_string({"protocol": protocol_parameter(board.protocol)}, ("protocol",))
    return {name: page_url(name, board.suite, ALL, board.device) + query for name in names}


def _views_table(views: Sequence[View]) -> Table:
    columns: tuple[Field[View], ...] = (
        Field("title", "Page", lambda view: Cell(view.title, view.title, view.url)),
        text_field("shows", "What it shows", lambda view: view.shows),
    )
    return table("views", "Pages about all results", columns, views, "")


def _boards_table(found: Sequence[SuiteBoardsRow]) -> Table:
    columns: tuple[Field[SuiteBoardsRow], ...] = fields(
        Field("title", "Suite and device", _board_cell), (_page_field(name, title) for name, title in OF_A_BOARD)
    )
    empty = "No results are published yet. A leaderboard appears here once a maintainer publishes a run."
    return table("boards", "Pages about one leaderboard, over all categories", columns, found, empty)


def _board_cell(board: SuiteBoardsRow) -> Cell:
    note = "" if board.protocol == PROTOCOL else f"measured under {named(board.protocol)}"
    title = board_title(board.suite_title, board.suite, board.device_title)
    return Cell(title, f"{board.suite}@{board.version} {board.device}", note=note)


def _page_field(name: str, title: str) -> Field[SuiteBoardsRow]:
    def cell(board: SuiteBoardsRow) -> Cell:
        url = _pages(board).get(name)
        return Cell(title.lower(), url, url) if url else Cell(NONE, note="no clock")

    return Field(name, title, cell)
