"""The way to every page that looks at results from one side: at all of them, or at those of one board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.formatting import NONE
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url
from leaderboard.pages.home.boards import SuiteBoards, suite_boards
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import ALL

# Route, title, what it answers; in the order in which they are listed.
VIEWS = (
    ("failures", "What goes wrong", "How answers end, why, and an example of each: builds, outputs, unseen cases."),
    ("behaviour", "Agent behaviour", "What candidates do that baselines do not, and how what was handed in ended."),
    ("portability", "From device to device", "The same configuration on several device classes, task by task."),
    ("cost", "What it costs", "Tokens and speedup in a paper, and what judging takes here."),
    ("audits", "Audits", "What people found when they looked at a result, with the lines that show it."),
    ("noise", "How still the hosts are", "A kernel against itself, each time a host was calibrated, and what changed."),
)


OF_A_BOARD = (
    ("board", "Ranks"),
    ("distribution", "Distribution"),
    ("compare", "Comparison"),
    ("generalization", "Unseen cases"),
)
NEED_A_CLOCK = ("distribution",)


@dataclass(frozen=True, slots=True)
class View:
    title: str
    answers: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisPage(Page):
    views: tuple[View, ...]
    boards: tuple[dict[str, str], ...]  # of each place its pages' addresses, over all categories


def build(query: Query) -> AnalysisPage:
    views = tuple(View(title, answers, page_url(route)) for route, title, answers in VIEWS)
    columns = (Column("title", "Page"), Column("answers", "What it shows"))
    rows = [(Cell(view.title, view.title, view.url), Cell(view.answers, view.answers)) for view in views]
    found = suite_boards()
    return AnalysisPage(
        title="Analysis",
        lead="All results, each time from one side: a board says who is ahead, these pages say why and where.",
        crumbs=(Link("ArenaBoard", "/"),),
        tables=by_slug(table("views", "Of all results", columns, rows, ""), _boards_table(found)),
        views=views,
        boards=tuple(_pages(place) for place in found),
    )


def _pages(place: SuiteBoards) -> dict[str, str]:
    """Nothing of speed where no speed is told."""
    names = [name for name, _ in OF_A_BOARD if not (place.is_functional and name in NEED_A_CLOCK)]
    return {name: page_url(name, place.suite, ALL, place.device_class) for name in names}


def _boards_table(found: Sequence[SuiteBoards]) -> Table:
    columns = (Column("board", "Board"), *(Column(name, title) for name, title in OF_A_BOARD))
    rows = [
        (
            Cell(place.title, f"{place.suite}@{place.suite_version} {place.device_class}"),
            *(
                Cell(title.lower(), urls[name], urls[name]) if name in urls else Cell(NONE, note="no clock")
                for name, title in OF_A_BOARD
            ),
        )
        for place in found
        for urls in [_pages(place)]
    ]
    return table("boards", "Of one board, over all categories", columns, rows, "No run is published yet.")
