"""A board as an address names it: suite, category, device class, protocol and day, with all that stands there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from leaderboard.pages.base import Link, page_url, whole_number
from leaderboard.pages.board.query import SHARED, BoardView
from leaderboard.pages.board.standings import Entry, Standings, standings
from leaderboard.queries import boards
from leaderboard.queries.boards import DeviceRow, SuiteRow, TaskRow
from leaderboard.words import ALL, CATEGORIES, suite_name


@dataclass(frozen=True, slots=True)
class Board:
    suite: SuiteRow
    device: DeviceRow
    category: str
    view: BoardView
    categories: frozenset[str]  # those the suite has tasks of
    board_tasks: tuple[TaskRow, ...]  # of the category, before any filter
    tasks: tuple[TaskRow, ...]  # those the numbers are of
    standings: Standings  # ranks of the whole board, numbers of `tasks`

    @property
    def title(self) -> str:
        return f"{suite_name(self.suite.title, self.suite.name)}: {CATEGORIES[self.category].replace('All', 'all')}"

    @property
    def is_mixed(self) -> bool:
        """Tasks of several categories, whose clocks in the paper differ."""
        return len({task.category for task in self.tasks}) > 1

    def url(self, page: str = "board", category: str = "", **changes: str) -> str:
        """This board, or another page of it, with the same query."""
        address = page_url(page, self.suite.name, category or self.category, self.device.slug)
        return address + self.view.query(**changes)

    def other_url(self, page: str) -> str:
        """Another page of this board, with what says which board it is and which lines and tasks are shown."""
        view = BoardView(**{name: getattr(self.view, name) for name in SHARED})
        return page_url(page, self.suite.name, self.category, self.device.slug) + view.query()

    def category_links(self, page: str) -> tuple[Link, ...]:
        """The same page in the suite's other categories."""
        return tuple(
            Link(label, self.url(page, slug), slug == self.category)
            for slug, label in CATEGORIES.items()
            if slug == ALL or slug in self.categories
        )


def other_places(board: Board) -> tuple[Link, ...]:
    """The same suite on all device classes, then what else there is on this one; nothing where there is no other."""
    here = (board.suite.name, board.device.slug)
    found = boards.places_with_runs(board.view.asked_protocol)
    same = [_place_link(*place, category=board.category, here=here) for place in found if place[0] == here[0]]
    others = [place for place in found if place[0] != here[0] and place[2] == here[1]]
    links = [*same, *(_place_link(*place, category=ALL, here=here) for place in others)]
    return tuple(links) if any(not link.is_here for link in links) else ()


def _place_link(
    suite: str, suite_title: str, device: str, device_title: str, *, category: str, here: tuple[str, str]
) -> Link:
    text = f"{suite_name(suite_title, suite)} on {device_title}"
    return Link(text, page_url("board", suite, category, device), (suite, device) == here)


def load(view: BoardView, suite: str, category: str, device: str) -> Board | None:
    """None where there is no such suite, device class or category, or the category has no task."""
    place = boards.place(suite, whole_number(view.version), device)
    if place is None or category not in CATEGORIES:
        return None
    suite_row, device_row, everything = place
    board_tasks = tuple(task for task in everything if category in (task.category, ALL))
    if not board_tasks:
        return None
    if not any(map(view.keeps, board_tasks)):  # as any odd value of a query
        view = replace(view, source="", operator="")
    runs = boards.public_runs(suite_row.id, device, view.asked_protocol, view.until)
    results = boards.public_results(suite_row.id, device, view.asked_protocol, view.until)
    found = standings(board_tasks, runs, results, is_functional=device_row.is_functional)
    tasks = tuple(task for task in board_tasks if view.keeps(task))
    if tasks != board_tasks:
        part = standings(tasks, runs, results, is_functional=device_row.is_functional)
        found = replace(part, entries=_ranked_as(part.entries, found.entries), ranked_by=found.ranked_by)
    categories = frozenset(task.category for task in everything)
    return Board(suite_row, device_row, category, view, categories, board_tasks, tasks, found)


def _ranked_as(part: tuple[Entry, ...], whole: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Numbers of some tasks with the ranks of all."""
    return tuple(
        replace(one, rank=full.rank, rank_interval=full.rank_interval, not_ranked_because=full.not_ranked_because)
        for one, full in zip(part, whole, strict=True)
    )
