"""Hardware efficiency on one leaderboard: how near its entries' kernels come to what the device can do."""

from __future__ import annotations

from dataclasses import dataclass, field

from evaluator.tasks.peaks import PEAKS
from evaluator.tasks.roofline import UNKNOWN_CLASS
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NBSP, percent, plural
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url
from leaderboard.pages.board import screen as board_screen
from leaderboard.pages.board.board import Board, load
from leaderboard.pages.board.query import BoardView, Choice
from leaderboard.pages.efficiency import screen
from leaderboard.pages.efficiency.cells import FASTER_THAN_MEMORY, FASTER_THAN_UNITS
from leaderboard.pages.efficiency.facts import (
    EntryEfficiency,
    OperatorEfficiency,
    TaskNumbers,
    entry_means,
    operator_means,
    task_numbers,
)
from leaderboard.pages.protocols import OtherProtocol
from leaderboard.queries import boards
from leaderboard.queries.efficiency import work_of
from leaderboard.tables import Table, fitting

FUNCTIONAL = "Times of this device class are functional and say nothing about a GPU, so there is no efficiency."
_HIDDEN = ("version", "protocol")
_NO_CHOICES = ("as_of", "ranks")  # of the board's form: this page has no ranks of its own, and no past


@dataclass(frozen=True, slots=True, kw_only=True)
class EfficiencyPage(Page):
    suite: str
    suite_version: int
    category: str
    device_class: str
    protocol: str
    other_protocols: tuple[OtherProtocol, ...]  # under which this board has public runs, the newest first
    entries: tuple[EntryEfficiency, ...]
    operators: tuple[OperatorEfficiency, ...]  # empty where all tasks are of one type
    tasks: tuple[TaskNumbers, ...]
    findings: tuple[str, ...]  # on shares above 100 %, and on peaks that are not known
    refused: str | None
    protocol_notice: str = field(metadata=SCREEN)
    categories: tuple[Link, ...] = field(metadata=SCREEN)
    views: tuple[Link, ...] = field(metadata=SCREEN)
    choices: tuple[Choice, ...] = field(metadata=SCREEN)
    hidden_inputs: tuple[tuple[str, str], ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)
    tasks_shown: Table = field(metadata=SCREEN)  # the first ones; `tasks` has all


def build(query: Query, *, suite: str, category: str, device: str) -> EfficiencyPage | None:
    board = load(BoardView.from_query(query), suite, category, device)
    if board is None:
        return None
    view, refused = board.view, FUNCTIONAL if board.device.is_functional else None
    shown = [] if refused else [entry for entry in board.standings.entries if view.shows(entry)]
    entries = board_screen.in_order(shown, view)
    runs = {run for entry in entries for run in entry.runs}
    work = work_of(runs, {task.id for task in board.tasks}) if runs else {}
    numbers = task_numbers(board, entries, work)
    of_entries, operators = entry_means(numbers, entries), operator_means(numbers)
    tasks_table = screen.tasks_table(numbers, entries, refused)
    protocols = board.protocols("efficiency", boards.with_runs(board.suite.id))
    return EfficiencyPage(
        title=f"{board.title}: hardware efficiency",
        lead=_lead(board, of_entries),
        subject=board.subject,
        crumbs=(Link("Leaderboards", page_url("home")), Link(board.title, board.other_url("board"))),
        charts=dict(screen.operators_chart(operators, entries)),
        tables=by_slug(
            screen.entries_table(of_entries, refused), screen.operators_table(operators, entries), tasks_table
        ),
        suite=board.suite.name,
        suite_version=board.suite.version,
        category=category,
        device_class=device,
        protocol=view.asked_protocol,
        other_protocols=protocols.others,
        entries=of_entries,
        operators=operators,
        tasks=numbers,
        findings=_findings(board, numbers),
        refused=refused,
        protocol_notice=protocols.notice,
        categories=board.category_links("efficiency"),
        views=(
            Link("Leaderboard", board.other_url("board")),
            Link("Distribution", board.other_url("distribution")),
            Link("Compare", board.other_url("compare")),
            Link("Peaks and their sources", page_url("peaks")),
        ),
        choices=tuple(
            one for one in view.choices(board.standings.entries, board.board_tasks) if one.name not in _NO_CHOICES
        ),
        hidden_inputs=view.hidden_inputs(_HIDDEN),
        is_filtered=view.is_filtered,
        tasks_shown=fitting(tasks_table),
    )


def _lead(board: Board, entries: tuple[EntryEfficiency, ...]) -> str:
    """The answer first: whose kernels come nearest to the peaks."""
    scored = [(one.means.score, one) for one in entries if one.means.score is not None]
    tasks = plural(len(board.tasks), "task")
    if not scored:
        return f"How near correct kernels come to the peaks of {board.device.title}, over {tasks}."
    score, best = max(scored, key=lambda pair: pair[0])
    return (
        f"Over {tasks} on {board.device.title}, the correct kernels of {entry_name(best.agent, best.model)} reach "
        f"{percent(score)} of the nearer peak on average, over {best.means.scored}{NBSP}of{NBSP}{best.means.tasks}. "
        "Means of other entries are over other tasks."
    )


def _findings(board: Board, numbers: tuple[TaskNumbers, ...]) -> tuple[str, ...]:
    """What to know of shares above 100 %, with how many there are, and of a device class without peaks."""
    if numbers and board.device.slug not in PEAKS:
        return (f"No IOU, MFU and score: {UNKNOWN_CLASS}.",)
    pairs = (("iou", FASTER_THAN_MEMORY), ("mfu", FASTER_THAN_UNITS))
    counts = [(sum((getattr(one.found, name) or 0.0) > 1 for one in numbers), text) for name, text in pairs]
    return tuple(f"{plural(count, 'kernel')}: {text}" for count, text in counts if count)
