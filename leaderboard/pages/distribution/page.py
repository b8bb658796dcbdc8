"""The distribution page: speedups of a board's entries as quantiles, boxes, distribution functions and fast_p."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.formatting import plural
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url
from leaderboard.pages.board import screen as board_screen
from leaderboard.pages.board.board import Board, load
from leaderboard.pages.board.query import BoardView, Choice
from leaderboard.pages.board.standings import Entry
from leaderboard.pages.distribution import screen
from leaderboard.pages.distribution.facts import EntrySpread
from leaderboard.pages.protocols import OtherProtocol
from leaderboard.queries import boards
from leaderboard.statistics import MIN_TASKS_FOR_INTERVAL
from leaderboard.statistics.limits import too_few
from leaderboard.statistics.paper import NO_CLOCK
from leaderboard.statistics.spread import ClockName, Method, Spread, spreads, timed_tasks

FUNCTIONAL = "Times of this device class are functional and say nothing about a GPU, so there is no distribution."


@dataclass(frozen=True, slots=True)
class SpreadView(BoardView):
    clock: str = ""  # paper: the paper's clock for the category
    method: str = ""  # exclusive: the other way to interpolate a quantile

    @property
    def clock_name(self) -> ClockName:
        return "paper" if self.clock else "t_dev"

    @property
    def quantile_method(self) -> Method:
        return "exclusive" if self.method else "linear"


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionPage(Page):
    suite: str
    suite_version: int
    category: str
    device_class: str
    protocol: str
    other_protocols: tuple[OtherProtocol, ...]  # under which this board has public runs, the newest first
    as_of: str
    clock: ClockName
    method: Method
    tasks: tuple[str, ...]  # those with a time on the clock, in the order of `speedups`
    entries: tuple[EntrySpread, ...]
    refused: str | None
    protocol_notice: str = field(metadata=SCREEN)
    categories: tuple[Link, ...] = field(metadata=SCREEN)
    views: tuple[Link, ...] = field(metadata=SCREEN)
    choices: tuple[Choice, ...] = field(metadata=SCREEN)
    hidden_inputs: tuple[tuple[str, str], ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)


def build(query: Query, *, suite: str, category: str, device: str) -> DistributionPage | None:
    view = SpreadView.from_query(query)
    board = load(view, suite, category, device)
    if board is None:
        return None
    timed = timed_tasks(board.standings.eligible, view.clock_name)
    tasks = [board.tasks[index] for index in timed]
    refused = _refused(board, view, len(tasks))
    entries = () if refused else _entries(board, view, timed)
    protocols = board.protocols("distribution", boards.with_runs(board.suite.id))
    return DistributionPage(
        title=f"{board.title}: distribution of speedups",
        lead=_lead(board, view, len(tasks)),
        subject=board.subject,
        crumbs=(Link("Leaderboards", page_url("home")), Link(board.title, board.other_url("board"))),
        charts=screen.charts(entries, [task.name for task in tasks], view.clock_name),
        tables=by_slug(*screen.tables(entries, refused)),
        suite=board.suite.name,
        suite_version=board.suite.version,
        category=category,
        device_class=device,
        protocol=view.asked_protocol,
        other_protocols=protocols.others,
        protocol_notice=protocols.notice,
        as_of=view.as_of,
        clock=view.clock_name,
        method=view.quantile_method,
        tasks=tuple(task.path for task in tasks),
        entries=entries,
        refused=refused,
        categories=board.category_links("distribution"),
        views=_views(board, view),
        choices=view.choices(board.standings.entries, board.board_tasks),
        hidden_inputs=view.hidden_inputs(_HIDDEN),
        is_filtered=view.is_filtered,
    )


_HIDDEN = ("version", "protocol", "clock", "method")


def _entries(board: Board, view: SpreadView, tasks: Sequence[int]) -> tuple[EntrySpread, ...]:
    """The entries that pass the filter, with their distributions."""
    found = spreads(board.standings.matrices, tasks, view.clock_name, view.quantile_method)
    shown = [entry for entry in board.standings.entries if view.shows(entry)]
    return tuple(_entry(entry, found[entry.configuration]) for entry in board_screen.in_order(shown, view))


def _entry(entry: Entry, found: Spread | str) -> EntrySpread:
    spread, refused = (None, found) if isinstance(found, str) else (found, None)
    return EntrySpread(entry.configuration, entry.agent, entry.model, entry.role, entry.rank, spread, refused)


def _lead(board: Board, view: SpreadView, tasks: int) -> str:
    clock = "the paper's clock" if view.clock else "t_dev"
    return (
        f"{plural(tasks, 'task')} on {board.device.title}, timed on {clock}. A wrong result counts as a speedup of 0."
    )


def _refused(board: Board, view: SpreadView, tasks: int) -> str | None:
    if board.device.is_functional:
        return FUNCTIONAL
    if view.clock and board.no_mean_because:
        return board.no_mean_because
    return too_few(tasks, MIN_TASKS_FOR_INTERVAL, "A distribution needs")


def _views(board: Board, view: SpreadView) -> tuple[Link, ...]:
    clocks = [("", "On t_dev")]
    if board.no_mean_because != NO_CLOCK:
        clocks.append(("paper", "On the paper's clock"))
    methods = (("", "Quantiles: linear"), ("exclusive", "Quantiles: exclusive"))
    return (
        *(Link(text, board.url("distribution", clock=one), view.clock == one) for one, text in clocks),
        *(Link(text, board.url("distribution", method=one), view.method == one) for one, text in methods),
        Link("Leaderboard", board.other_url("board")),
        Link("Compare", board.other_url("compare")),
    )
