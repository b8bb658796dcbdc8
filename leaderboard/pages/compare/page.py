"""The compare page: two to six entries of a board, with tests of each pair and the results by task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.formatting import plural
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url
from leaderboard.pages.board import screen as board_screen
from leaderboard.pages.board.board import Board, load
from leaderboard.pages.board.query import BoardView, Choice
from leaderboard.pages.board.standings import Entry, cards_note, spread_of
from leaderboard.pages.compare import screen
from leaderboard.pages.compare.facts import ComparedPair, ComparedTask, compared_pairs, compared_tasks
from leaderboard.pages.protocols import OtherProtocol
from leaderboard.queries import boards
from leaderboard.statistics.comparisons import common_tasks

SLOTS = ("a", "b", "c", "d", "e", "f")
FEWEST = 2


@dataclass(frozen=True, slots=True)
class CompareView(BoardView):
    a: str = ""  # configurations, in the order of the page
    b: str = ""
    c: str = ""
    d: str = ""
    e: str = ""
    f: str = ""
    common: str = ""  # 1: only tasks on which every entry has verdicts

    @property
    def wanted(self) -> list[str]:
        """The configurations, each once."""
        return list(dict.fromkeys(filter(None, (getattr(self, slot) for slot in SLOTS))))


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePage(Page):
    suite: str
    suite_version: int
    category: str
    device_class: str
    is_functional: bool
    protocol: str
    other_protocols: tuple[OtherProtocol, ...]  # under which this board has public runs, the newest first
    as_of: str
    entries: tuple[Entry, ...]
    pairs: tuple[ComparedPair, ...]
    tasks: tuple[ComparedTask, ...]
    of: int  # number of the board's tasks
    protocol_notice: str = field(metadata=SCREEN)
    categories: tuple[Link, ...] = field(metadata=SCREEN)
    views: tuple[Link, ...] = field(metadata=SCREEN)
    choices: tuple[Choice, ...] = field(metadata=SCREEN)
    hidden_inputs: tuple[tuple[str, str], ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)
    notice: str = field(metadata=SCREEN)


def build(query: Query, *, suite: str, category: str, device: str) -> ComparePage | None:
    view = CompareView.from_query(query)
    board = load(view, suite, category, device)
    if board is None:
        return None
    all_entries = board_screen.in_order(board.standings.entries, view)
    entries = _chosen(all_entries, view.wanted)
    found = [board.standings.matrices[entry.configuration] for entry in entries]
    indices = common_tasks(found) if view.common and found else list(range(len(board.tasks)))
    matrices = {entry.configuration: one.select(indices) for entry, one in zip(entries, found, strict=True)}
    tasks = [board.tasks[index].path for index in indices]
    eligible = None if board.device.is_functional else sum(board.standings.eligible[index] is True for index in indices)
    pairs = compared_pairs(entries, matrices, eligible, spread_of(board.between_cards, tasks))
    cards = "" if eligible is None else cards_note(list(matrices.values()), board.between_cards)
    compared = compared_tasks(tasks, [matrices[entry.configuration] for entry in entries], board.device.is_functional)
    protocols = board.protocols("compare", boards.with_runs(board.suite.id))
    return ComparePage(
        title=f"{board.title}: comparison",
        lead=_lead(board, len(tasks)),
        subject=board.subject,
        crumbs=(Link("Leaderboards", page_url("home")), Link(board.title, board.other_url("board"))),
        charts=screen.charts(board, entries, compared),
        tables=by_slug(
            board_screen.entries_table(board, entries, is_sortable=False),
            screen.pairs_table(pairs, entries, board.device.is_functional),
            screen.tasks_table(compared, entries, _results(board, entries), board.device.is_functional),
        ),
        suite=board.suite.name,
        suite_version=board.suite.version,
        category=category,
        device_class=device,
        is_functional=board.device.is_functional,
        protocol=view.asked_protocol,
        other_protocols=protocols.others,
        protocol_notice=protocols.notice,
        as_of=view.as_of,
        entries=tuple(entries),
        pairs=pairs,
        tasks=compared,
        of=len(board.tasks),
        categories=board.category_links("compare"),
        views=_views(board, view, entries),
        choices=_choices(all_entries, entries),
        hidden_inputs=view.hidden_inputs(_HIDDEN),
        is_filtered=False,
        notice="" if not entries and protocols.notice else _notice(entries, len(indices), len(board.tasks), cards),
    )


_HIDDEN = ("version", "protocol", "as_of", "source", "operator", "common")


def _chosen(all_entries: Sequence[Entry], wanted: Sequence[str]) -> list[Entry]:
    """The entries that the query names; without any, the first two of the board."""
    known = {entry.configuration: entry for entry in all_entries}
    found = [known[slug] for slug in wanted if slug in known]
    return found or list(all_entries[:FEWEST])


def _results(board: Board, entries: Sequence[Entry]) -> dict[tuple[str, str], int]:
    """Result ids by configuration and task, for configurations with a single run."""
    single = {entry.configuration for entry in entries if len(entry.runs) == 1}
    return {
        (result.configuration, result.task): result.result
        for result in board.standings.results
        if result.configuration in single and result.result is not None
    }


def _lead(board: Board, tasks: int) -> str:
    which = f"{tasks} common tasks of {len(board.tasks)}" if tasks < len(board.tasks) else plural(tasks, "task")
    return f"{which} on {board.device.title}, protocol {board.view.asked_protocol}. The unit of every test is the task."


def _notice(entries: Sequence[Entry], tasks: int, of: int, cards: str) -> str:
    if len(entries) < FEWEST:
        return (
            "Choose two to six entries of this leaderboard."
            if entries
            else "There is nothing to compare on this leaderboard yet: that needs two published runs."
        )
    if tasks < of:
        fewer = (
            f"Only the {tasks} of {of} tasks on which every entry has verdicts. Results are not missing at random, so "
            "this may favour an entry."
        )
        return f"{fewer} {cards}".rstrip()
    return cards


def _views(board: Board, view: CompareView, entries: Sequence[Entry]) -> tuple[Link, ...]:
    """Links to views of the comparison. They name the entries, so that they compare the same ones later."""
    named = {slot: entry.configuration for slot, entry in zip(SLOTS, entries, strict=False)}
    return (
        Link("All tasks", board.url("compare", **named, common=""), not view.common),
        Link("Common tasks only", board.url("compare", **named, common="1"), bool(view.common)),
        Link("Leaderboard", board.other_url("board")),
        Link("Distribution", board.other_url("distribution")),
    )


def _choices(all_entries: Sequence[Entry], chosen: Sequence[Entry]) -> tuple[Choice, ...]:
    """One list of all entries for each slot."""
    slugs = [entry.configuration for entry in chosen] + [""] * len(SLOTS)
    names = [(entry.configuration, entry_name(entry.agent, entry.model)) for entry in all_entries]
    return tuple(
        Choice(
            slot,
            f"Entry {slot.upper()}",
            (("", "none", not slug), *((value, text, value == slug) for value, text in names)),
        )
        for slot, slug in zip(SLOTS, slugs, strict=False)
    )
