"""Two to six configurations of a board side by side: each pair tested over the tasks, and every task, largest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.formatting import plural
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url
from leaderboard.pages.board import screen as board_screen
from leaderboard.pages.board.place import Board, load
from leaderboard.pages.board.query import BoardView, Choice
from leaderboard.pages.board.standings import Entry
from leaderboard.pages.compare import screen
from leaderboard.pages.compare.facts import ComparedPair, ComparedTask, compared_pairs, compared_tasks
from leaderboard.statistics.comparisons import common_tasks

PLACES = ("a", "b", "c", "d", "e", "f")
FEWEST = 2


@dataclass(frozen=True, slots=True)
class CompareView(BoardView):
    a: str = ""  # configurations, in the order in which they are shown
    b: str = ""
    c: str = ""
    d: str = ""
    e: str = ""
    f: str = ""
    common: str = ""  # 1: only tasks on which all of them have verdicts

    @property
    def wanted(self) -> list[str]:
        """Each once, in their order."""
        return list(dict.fromkeys(filter(None, (getattr(self, place) for place in PLACES))))


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePage(Page):
    suite: str
    suite_version: int
    category: str
    device_class: str
    is_functional: bool
    protocol: str
    as_of: str
    entries: tuple[Entry, ...]
    pairs: tuple[ComparedPair, ...]
    tasks: tuple[ComparedTask, ...]
    of: int  # tasks of the board
    categories: tuple[Link, ...] = field(metadata=SCREEN)
    views: tuple[Link, ...] = field(metadata=SCREEN)
    choices: tuple[Choice, ...] = field(metadata=SCREEN)
    kept: tuple[tuple[str, str], ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)
    notice: str = field(metadata=SCREEN)


def build(query: Query, *, suite: str, category: str, device: str) -> ComparePage | None:
    view = CompareView.from_query(query)
    board = load(view, suite, category, device)
    if board is None:
        return None
    everybody = board_screen.in_order(board.standings.entries, view)
    entries = _chosen(everybody, view.wanted)
    found = [board.standings.numbers[entry.configuration] for entry in entries]
    kept = common_tasks(found) if view.common and found else list(range(len(board.tasks)))
    numbers = {entry.configuration: one.on(kept) for entry, one in zip(entries, found, strict=True)}
    tasks = [board.tasks[index].path for index in kept]
    eligible = None if board.device.is_functional else sum(board.standings.eligible[index] is True for index in kept)
    pairs = compared_pairs(entries, numbers, eligible)
    lines = compared_tasks(tasks, [numbers[entry.configuration] for entry in entries], board.device.is_functional)
    return ComparePage(
        title=f"{board.title}: {plural(len(entries), 'entry', 'entries')} compared",
        lead=_lead(board, len(tasks)),
        crumbs=(Link("Boards", page_url("home")), Link(board.title, board.other_url("board"))),
        charts=screen.charts(board, entries, lines),
        tables=by_slug(
            board_screen.entries_table(board, entries, is_sortable=False),
            screen.pairs_table(pairs, entries, board.device.is_functional),
            screen.tasks_table(lines, entries, _results(board, entries), board.device.is_functional),
        ),
        suite=board.suite.name,
        suite_version=board.suite.version,
        category=category,
        device_class=device,
        is_functional=board.device.is_functional,
        protocol=view.asked_protocol,
        as_of=view.as_of,
        entries=tuple(entries),
        pairs=pairs,
        tasks=lines,
        of=len(board.tasks),
        categories=board.category_links("compare"),
        views=_views(board, view, entries),
        choices=_choices(everybody, entries),
        kept=tuple((name, getattr(view, name)) for name in _KEPT if getattr(view, name)),
        is_filtered=False,
        notice=_notice(entries, len(kept), len(board.tasks)),
    )


_KEPT = ("version", "protocol", "as_of", "source", "operator", "common")


def _chosen(everybody: Sequence[Entry], wanted: Sequence[str]) -> list[Entry]:
    """Those asked for; without a word, the first two of the board."""
    known = {entry.configuration: entry for entry in everybody}
    found = [known[slug] for slug in wanted if slug in known]
    return found or list(everybody[:FEWEST])


def _results(board: Board, entries: Sequence[Entry]) -> dict[tuple[str, str], int]:
    """The result of each configuration and task, where there is one run alone."""
    single = {entry.configuration for entry in entries if len(entry.runs) == 1}
    return {
        (answer.configuration, answer.task): answer.result
        for answer in board.standings.answers
        if answer.configuration in single and answer.result is not None
    }


def _lead(board: Board, tasks: int) -> str:
    which = (
        f"{tasks} common of {plural(len(board.tasks), 'task')}" if tasks < len(board.tasks) else plural(tasks, "task")
    )
    return f"{which} on {board.device.title}, protocol {board.view.asked_protocol}. The task is the unit of every test."


def _notice(entries: Sequence[Entry], tasks: int, of: int) -> str:
    if len(entries) < FEWEST:
        return (
            "Choose two to six entries of this board." if entries else "There is nothing to compare on this board yet."
        )
    if tasks < of:
        return f"Only the {tasks} of {of} tasks on which all of them have verdicts: what is missing is not random."
    return ""


def _views(board: Board, view: CompareView, entries: Sequence[Entry]) -> tuple[Link, ...]:
    """The address names the entries, so that it stays the same comparison when the board changes."""
    named = {place: entry.configuration for place, entry in zip(PLACES, entries, strict=False)}
    return (
        Link("All tasks", board.url("compare", **named, common=""), not view.common),
        Link("Common tasks only", board.url("compare", **named, common="1"), bool(view.common)),
        Link("Board", board.other_url("board")),
        Link("Distribution", board.other_url("distribution")),
    )


def _choices(everybody: Sequence[Entry], chosen: Sequence[Entry]) -> tuple[Choice, ...]:
    """A list of all entries for each place."""
    slugs = [entry.configuration for entry in chosen] + [""] * len(PLACES)
    names = [(entry.configuration, entry_name(entry.agent, entry.model)) for entry in everybody]
    return tuple(
        Choice(
            place,
            f"Entry {place.upper()}",
            (("", "none", not slug), *((value, text, value == slug) for value, text in names)),
        )
        for place, slug in zip(PLACES, slugs, strict=False)
    )
