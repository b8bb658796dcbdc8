"""A board with its standings: one suite, category, device class and protocol, today or on an earlier day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from evaluator.tasks.cards import BetweenCards, known_between_cards
from leaderboard.pages.base import Link, page_url, protocol_parameter, subject_of, whole_number
from leaderboard.pages.board.query import SHARED, BoardView
from leaderboard.pages.board.standings import Entry, Standings, standings
from leaderboard.pages.protocols import Protocols, preferred, protocols_of
from leaderboard.queries import boards
from leaderboard.queries.boards import BoardRow, DeviceRow, ResultRow, RunRow, SuiteRow, TaskRow, takes_part
from leaderboard.statistics.paper import NO_CLOCK, is_kernelbench_x, why_no_mean
from leaderboard.words import ALL, CATEGORIES, choices_of, suite_name


@dataclass(frozen=True, slots=True)
class Board:
    suite: SuiteRow
    device: DeviceRow
    category: str
    view: BoardView
    categories: frozenset[str]  # the categories of the suite's tasks
    board_tasks: tuple[TaskRow, ...]  # all tasks of the category
    tasks: tuple[TaskRow, ...]  # those that the filter leaves
    standings: Standings  # ranks over `ranked_tasks`, all other numbers over `tasks`
    runs: tuple[RunRow, ...]  # and the rows of results: what the standings are made of
    rows: tuple[ResultRow, ...]

    @property
    def ranked_tasks(self) -> tuple[TaskRow, ...]:
        return self.tasks if self.view.is_cut else self.board_tasks

    @property
    def is_part(self) -> bool:
        """Whether the filters leave some of the tasks only."""
        return len(self.tasks) < len(self.board_tasks)

    @property
    def is_cut(self) -> bool:
        return self.is_part and self.view.is_cut

    @property
    def title(self) -> str:
        title = f"{suite_name(self.suite.title, self.suite.name)}, {CATEGORIES[self.category].replace('All', 'all')}"
        return f"{title}, {self.view.tasks_in_words}" if self.is_cut else title

    @property
    def subject(self) -> str:
        tasks = f"{len(self.tasks)} of {len(self.board_tasks)} tasks" if self.is_part else ""
        parts = filter(None, (CATEGORIES[self.category], tasks, f"{self.device.title} ({self.device.slug})"))
        return subject_of(self.suite.name, self.suite.version, *parts, protocol=self.view.asked_protocol)

    @property
    def no_mean_because(self) -> str | None:
        """Why the tasks have no mean on the paper's clock; None where they may have one."""
        return why_no_mean({task.category for task in self.tasks})

    @property
    def between_cards(self) -> BetweenCards | None:
        """How far cards of the device class differ, where that is known."""
        return known_between_cards(self.device.slug, self.view.asked_protocol)

    @property
    def has_paper_columns(self) -> bool:
        """Whether the paper's columns say anything here: the device has a clock, and the paper one of some category."""
        return not self.device.is_functional and self.no_mean_because != NO_CLOCK

    @property
    def shows_paper_columns(self) -> bool:
        return self.view.view == "paper" and self.has_paper_columns

    @property
    def is_kernelbench_x(self) -> bool:
        """Whether the paper of the tasks is KernelBench-X, rather than AgentKernelArena."""
        return is_kernelbench_x({task.category for task in self.tasks})

    def url(self, page: str = "board", category: str = "", **changes: str) -> str:
        """Address of a page of this board with the same query, changed."""
        address = page_url(page, self.suite.name, category or self.category, self.device.slug)
        return address + self.view.query(**changes)

    def other_url(self, page: str) -> str:
        """Address of another page of this board, with the same version, protocol and filters."""
        view = BoardView(**{name: getattr(self.view, name) for name in SHARED})
        return page_url(page, self.suite.name, self.category, self.device.slug) + view.query()

    def on_protocol(self, page: str, protocol: str) -> str:
        """Address of a page of this board under a protocol, with the same version and no filters."""
        view = BoardView(version=self.view.version, protocol=protocol_parameter(protocol))
        return page_url(page, self.suite.name, self.category, self.device.slug) + view.query()

    def protocols(self, page: str, found: Sequence[BoardRow]) -> Protocols:
        """What a page of this board says about protocols."""
        own = [row for row in found if (row.suite_id, row.device) == (self.suite.id, self.device.slug)]
        return protocols_of(own, self.view.asked_protocol, lambda protocol: self.on_protocol(page, protocol))

    def category_links(self, page: str) -> tuple[Link, ...]:
        """Links to the same page in every category of the suite."""
        choices = choices_of(self.categories)
        return tuple(Link(label, self.url(page, slug), slug == self.category) for slug, label in choices.items())


def other_boards(board: Board, found: Sequence[BoardRow]) -> tuple[Link, ...]:
    """Links to this suite on every device class and to other suites on this one; empty if there is no other board.

    Each leads to this board's protocol, else to the current one, else to the newest; the text says where it differs.
    """
    rows = [preferred(list(own), board.view.asked_protocol) for _, own in groupby(found, key=lambda row: row[:5])]
    here = [row for row in rows if row.suite_id == board.suite.id]
    others = [row for row in rows if row.suite != board.suite.name and row.device == board.device.slug]
    links = [_board_link(board, row, board.category) for row in here]
    links += [_board_link(board, row, ALL) for row in others]
    return tuple(links) if any(not link.is_here for link in links) else ()


def _board_link(board: Board, row: BoardRow, category: str) -> Link:
    is_here = (row.suite_id, row.device) == (board.suite.id, board.device.slug)
    text = f"{suite_name(row.suite_title, row.suite)} on {row.device_title}"
    if row.protocol != board.view.asked_protocol and not is_here:
        text += f" ({row.protocol})"
    version = board.view.version if row.suite_id == board.suite.id else ""
    protocol = board.view.asked_protocol if is_here else row.protocol
    view = BoardView(version=version, protocol=protocol_parameter(protocol))
    return Link(text, page_url("board", row.suite, category, row.device) + view.query(), is_here)


def load(view: BoardView, suite: str, category: str, device: str) -> Board | None:
    """Load a board; None if the suite, device class or category is unknown, or the category has no task."""
    found = boards.find(suite, whole_number(view.version), device)
    if found is None or category not in CATEGORIES:
        return None
    suite_row, device_row, all_tasks = found
    board_tasks = tuple(task for task in all_tasks if category in (task.category, ALL))
    if not board_tasks:
        return None
    if not any(map(view.includes, board_tasks)):  # ignored: see `query_values`
        view = replace(view, source="", operator="")
    tasks = tuple(task for task in board_tasks if view.includes(task))
    ranked_tasks = tasks if view.is_cut else board_tasks
    runs = boards.public_runs(suite_row.id, device, view.asked_protocol, view.until)
    runs = [run for run in runs if takes_part(run, ranked_tasks)]
    results = boards.public_results(suite_row.id, device, view.asked_protocol, view.until)
    between = known_between_cards(device, view.asked_protocol)
    shown = _standings(ranked_tasks, tasks, runs, results, device_row, between)
    categories = frozenset(task.category for task in all_tasks)
    made_of = tuple(runs), tuple(results)
    return Board(suite_row, device_row, category, view, categories, board_tasks, tasks, shown, *made_of)


def as_of(board: Board, day: str) -> Board:
    """Today's board at the end of an earlier day, as `load` makes it but for what no day restores (`cited_table`)."""
    view = replace(board.view, as_of=day)
    assert view.until is not None
    runs = tuple(run for run in board.runs if run.published_at <= view.until)
    later = boards.publications(board.rows, view.until)
    if runs == board.runs and not later:
        return replace(board, view=view)
    rows = tuple(boards.as_they_were(board.rows, later, view.asked_protocol, view.until))
    shown = _standings(board.ranked_tasks, board.tasks, runs, rows, board.device, board.between_cards)
    return replace(board, view=view, standings=shown, runs=runs, rows=rows)


def _standings(
    ranked_tasks: tuple[TaskRow, ...],
    tasks: tuple[TaskRow, ...],
    runs: Sequence[RunRow],
    results: Sequence[ResultRow],
    device: DeviceRow,
    between: BetweenCards | None,
) -> Standings:
    """Ranks over the ranked tasks, and all other numbers over some of them."""
    whole = standings(ranked_tasks, runs, results, is_functional=device.is_functional, between=between)
    if tasks == ranked_tasks:
        return whole
    part = standings(tasks, runs, results, is_functional=device.is_functional, between=between)
    return replace(part, entries=_ranked_as(part.entries, whole.entries), ranked_by=whole.ranked_by)


def _ranked_as(part: tuple[Entry, ...], whole: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries over some of the ranked tasks, with the ranks they have over all of these."""
    return tuple(
        replace(one, rank=full.rank, rank_interval=full.rank_interval, not_ranked_because=full.not_ranked_because)
        for one, full in zip(part, whole, strict=True)
    )
