"""One board: every public configuration of a suite, in a category, on a device class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.charts import Chart
from leaderboard.encoding import SCREEN
from leaderboard.formatting import plural
from leaderboard.pages.base import Link, Page, Query, by_slug, entry_name, page_url
from leaderboard.pages.board import charts, screen
from leaderboard.pages.board.board import Board, load, other_boards
from leaderboard.pages.board.elsewhere import Citation, card_lines, citation_of, cited
from leaderboard.pages.board.operators import OperatorCounts, by_operator, operators_chart, operators_table
from leaderboard.pages.board.query import BoardView, Choice
from leaderboard.pages.board.standings import BoardResult, Entry, RankedBy
from leaderboard.pages.protocols import OtherProtocol
from leaderboard.queries import boards
from leaderboard.statistics.limits import MIN_TASKS_FOR_INTERVAL, too_few
from leaderboard.statistics.paper import MIXED
from leaderboard.tables import Table, fitting


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPage(Page):
    suite: str
    suite_version: int
    suite_digest: str
    is_current: bool
    category: str
    device_class: str
    device_title: str
    is_functional: bool
    protocol: str
    as_of: str  # a day; empty for now
    ranked_by: RankedBy
    cut: str  # what this is a cut of; empty for a whole board
    eligible_tasks: int  # tasks that can show a speed
    tasks: tuple[str, ...]
    entries: tuple[Entry, ...]  # those that pass the filter; ranks are among all entries
    results: tuple[BoardResult, ...]
    operators: tuple[OperatorCounts, ...]  # of each entry on the tasks of each type; empty where all are of one
    refusals: tuple[str, ...]  # statistics that are not given, and why
    citation: Citation
    other_protocols: tuple[OtherProtocol, ...]  # under which this board has public runs, the newest first
    protocol_notice: str = field(metadata=SCREEN)
    whole_url: str = field(metadata=SCREEN)  # where `cut` is not empty: the same board over all its tasks
    other_boards: tuple[Link, ...] = field(metadata=SCREEN)
    categories: tuple[Link, ...] = field(metadata=SCREEN)
    views: tuple[Link, ...] = field(metadata=SCREEN)
    choices: tuple[Choice, ...] = field(metadata=SCREEN)
    hidden_inputs: tuple[tuple[str, str], ...] = field(metadata=SCREEN)  # parameters that the form does not change
    is_filtered: bool = field(metadata=SCREEN)
    compare_choices: tuple[Choice, ...] = field(metadata=SCREEN)  # of the form that opens a comparison of two entries
    compare_inputs: tuple[tuple[str, str], ...] = field(metadata=SCREEN)
    has_lines_only: bool = field(metadata=SCREEN)  # filtered out or not, there is a line and no entry
    ranks_note: str = field(metadata=SCREEN)
    table_kind: str = field(metadata=SCREEN)
    results_shown: Table = field(metadata=SCREEN)  # the first ones; `results` has all


def build(query: Query, *, suite: str, category: str, device: str) -> BoardPage | None:
    board = load(BoardView.from_query(query), suite, category, device)
    if board is None:
        return None
    shown = [entry for entry in board.standings.entries if board.view.shows(entry)]
    entries = screen.in_order(shown, board.view)
    names = {entry.configuration for entry in entries}
    results = [result for result in board.standings.results if result.configuration in names]
    found = boards.with_runs(board.suite.id)
    protocols = board.protocols("board", found)
    ranks = screen.entries_table(board, entries)
    results_table = screen.results_table(board, entries, results)
    operators = by_operator(board, entries)
    cited_board = cited(board)
    cited_ranks = screen.cited_table(cited_board)
    return BoardPage(
        title=board.title,
        lead=_lead(board),
        subject=board.subject,
        crumbs=(Link("Leaderboards", page_url("home")),),
        card_lines=card_lines(entries),
        charts=charts.charts(board, entries) | _operators_chart(operators, entries),
        tables=by_slug(ranks, results_table, cited_ranks, operators_table(operators, entries)),
        suite=board.suite.name,
        suite_version=board.suite.version,
        suite_digest=board.suite.digest,
        is_current=board.suite.is_current,
        category=category,
        device_class=device,
        device_title=board.device.title,
        is_functional=board.device.is_functional,
        protocol=board.view.asked_protocol,
        as_of=board.view.as_of,
        ranked_by=board.standings.ranked_by,
        cut=_cut(board),
        eligible_tasks=board.standings.eligible_tasks,
        tasks=tuple(task.path for task in board.tasks),
        entries=tuple(entries),
        results=tuple(results),
        operators=operators,
        refusals=_refusals(board),
        citation=citation_of(cited_board, cited_ranks),
        other_protocols=protocols.others,
        protocol_notice=protocols.notice,
        whole_url=board.url(source="", operator="", ranks=""),
        other_boards=other_boards(board, found),
        categories=board.category_links("board"),
        views=_views(board),
        choices=board.view.choices(board.standings.entries, board.board_tasks),
        hidden_inputs=board.view.hidden_inputs(_HIDDEN),
        is_filtered=board.view.is_filtered,
        compare_choices=_compare_choices(entries),
        compare_inputs=board.view.hidden_inputs(_COMPARE),
        has_lines_only={entry.role for entry in board.standings.entries} == {"reference_line"},
        ranks_note=_ranks_note(board),
        table_kind="board paper" if board.shows_paper_columns else "board",
        results_shown=fitting(results_table),
    )


_HIDDEN = ("version", "protocol", "view", "sort")
_COMPARE = ("version", "protocol", "as_of", "source", "operator")


def _compare_choices(entries: Sequence[Entry]) -> tuple[Choice, ...]:
    """Two lists of all entries, set to the first and the second; empty if there are fewer than two."""
    if len(entries) < 2:
        return ()
    named = [(entry.configuration, entry_name(entry.agent, entry.model)) for entry in entries]
    return tuple(
        Choice(name, label, tuple((slug, text, at == chosen) for at, (slug, text) in enumerate(named)))
        for chosen, (name, label) in enumerate((("a", "Compare"), ("b", "with")))
    )


def _operators_chart(operators: Sequence[OperatorCounts], entries: Sequence[Entry]) -> dict[str, Chart]:
    chart = operators_chart(operators, entries)
    return {chart.slug: chart} if chart else {}


def _lead(board: Board) -> str:
    tasks = plural(len(board.board_tasks), "task")
    if board.is_part:
        tasks = f"{len(board.tasks)} of {tasks}"
    day = f", as of {board.view.as_of}" if board.view.as_of else ""
    return f"{tasks} on {board.device.title}, protocol {board.view.asked_protocol}{day}."


def _cut(board: Board) -> str:
    if not board.is_cut:
        return ""
    left = f"{len(board.tasks)} of {plural(len(board.board_tasks), 'task')}, those of {board.view.tasks_in_words}"
    return f"A cut of {board.suite.name}@{board.suite.version}: {left}. All numbers are over these, ranks too."


def _views(board: Board) -> tuple[Link, ...]:
    """Links to the views of this board; those about speed only where the device has a clock."""
    here = Link("Ranks", board.url(view="", sort=""), not board.shows_paper_columns)
    compare = Link("Compare", board.other_url("compare"))
    history = Link("History", board.on_protocol("history", board.view.asked_protocol))
    unseen = Link("Unseen cases", board.on_protocol("generalization", board.view.asked_protocol))
    attribution = Link("Attribution", board.other_url("attribution"))
    iterations = Link("Iterations", board.on_protocol("trajectory", board.view.asked_protocol))
    quality = Link("Code quality", board.other_url("quality"))
    if board.device.is_functional:
        return (here, compare, attribution, unseen, iterations, quality, history)
    paper = Link("The paper's columns", board.url(view="paper", sort=""), board.shows_paper_columns)
    return (
        here,
        *((paper,) if board.has_paper_columns else ()),
        Link("Distribution", board.other_url("distribution")),
        Link("Hardware efficiency", board.on_protocol("efficiency", board.view.asked_protocol)),
        compare,
        attribution,
        unseen,
        iterations,
        quality,
        history,
    )


def _ranks_note(board: Board) -> str:
    if board.standings.ranked_by == "correctness":
        note = "Entries are ranked by correctness. Equal rates share a rank."
    else:
        note = (
            "Entries are ranked by usable speedup: what a user gains by keeping the better of candidate and baseline. "
            "Rank intervals hold for all entries simultaneously (paired t tests over tasks, Holm's correction at 5 %)."
        )
    if board.is_part and not board.is_cut:
        note += " Ranks are over all tasks; the other numbers are over the tasks you chose."
    return note


def _refusals(board: Board) -> tuple[str, ...]:
    found, tasks = board.standings, len(board.tasks)
    refusals: list[str] = []
    if not found.entries:
        return ()
    if board.device.is_functional:
        refusals.append(
            "No speed: this device class tests compilation and correctness only. Its times are functional: they show "
            "that a kernel ran. They are on each result's page and enter no metric."
        )
    else:
        reasons = list(dict.fromkeys(filter(None, (found.no_speed_because, found.no_rank_intervals_because))))
        refusals += [f"No speed: {reason}" if reason == found.no_speed_because else reason for reason in reasons]
        if board.no_mean_because == MIXED:
            refusals.append(
                "No mean speedup, score or geometric mean over categories: the paper times them with different clocks."
            )
    if found.cards_note:
        refusals.append(found.cards_note)
    if few := too_few(tasks, MIN_TASKS_FOR_INTERVAL, "No intervals: an interval needs"):
        refusals.append(f"{few} The counts are exact.")
    return tuple(refusals)
