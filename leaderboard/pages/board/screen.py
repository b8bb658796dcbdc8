"""How a board's tables look: its entries, ranked or in the paper's columns, and the answer to each task."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from leaderboard.formatting import factor, listed, significant
from leaderboard.pages.base import entry_name, page_url, task_url
from leaderboard.pages.board import cells as board_cells
from leaderboard.pages.board.place import Board
from leaderboard.pages.board.query import BoardView
from leaderboard.pages.board.standings import Answer, Entry
from leaderboard.tables import Cell, Column, Group, Table
from leaderboard.words import STATUSES, status_cell

NOT_ON_PAGE = "not_ranked_because"
SORTS: dict[str, Callable[[Entry], float | None]] = {
    "correctness": lambda entry: entry.correctness.share,
    "compilation": lambda entry: entry.compilation.share,
    "usable_speedup": lambda entry: entry.usable_speedup.value if entry.usable_speedup else None,
    "mean_speedup": lambda entry: entry.paper.mean_speedup.value if entry.paper else None,
    "mean_score": lambda entry: entry.paper.mean_score if entry.paper else None,
    "geo_mean_speedup": lambda entry: entry.paper.geo_mean_speedup.value if entry.paper else None,
    "fast_1": lambda entry: entry.paper.fast_1_pct if entry.paper else None,
    "fast_2": lambda entry: entry.paper.fast_2_pct if entry.paper else None,
}
METRIC_OF = {
    "rank": "rank",
    "usable_speedup": "usable",
    **dict.fromkeys(("correctness", "compilation"), "rates"),
    **dict.fromkeys(("mean_speedup", "mean_score", "geo_mean_speedup"), "paper"),
    **dict.fromkeys(("fast_1", "fast_2"), "fast-p"),
}
GROUPS = (
    ("", "", ""),
    ("Not ranked", "An answer that does not count may turn out either way, so a place would be a guess.", "unranked"),
    ("Reference lines", "Built in, to compare with. Never ranked.", "reference"),
)


def in_order(entries: Sequence[Entry], view: BoardView) -> list[Entry]:
    """Ranked entries as asked for, then the unranked ones, then the reference lines; names decide what is equal."""
    return sorted(
        entries,
        key=lambda entry: (
            _group(entry),
            *(_order(entry, view.sort) if entry.rank is not None else ()),
            entry_name(entry.agent, entry.model).casefold(),
            entry.configuration,
        ),
    )


def entries_table(board: Board, entries: Sequence[Entry], *, is_sortable: bool = True) -> Table:
    paper = board.view.view == "paper" and not board.device.is_functional
    columns = _paper_columns(board) if paper else _rank_columns(board)
    if not is_sortable:
        columns = tuple(replace(column, sort_url="", sorted="") for column in columns)
    row = partial(board_cells.paper_row, board) if paper else board_cells.rank_row
    groups = tuple(
        Group(tuple(row(entry) for entry in entries if _group(entry) == place), *about)
        for place, about in enumerate(GROUPS)
    )
    empty = "No run is published on this board yet. Start one in the admin, publish it, and it stands here."
    if board.standings.entries:
        empty = "No entry matches. Take a filter away."
    return Table("entries", _caption(board, paper), columns, groups, empty)


def answers_table(board: Board, entries: Sequence[Entry], answers: Sequence[Answer]) -> Table:
    """Tasks down, entries across: each cell leads to its result."""
    cells: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for answer in answers:
        cells[answer.task, answer.configuration].append(answer)
    columns = (
        Column("task", "Task"),
        *(Column(entry.configuration, entry_name(entry.agent, entry.model)) for entry in entries),
    )
    rows = tuple(
        (
            Cell(task.name, task.path, task_url(task.path), task.category),
            *(_answers_cell(cells[task.path, entry.configuration]) for entry in entries),
        )
        for task in board.tasks
    )
    caption = "The published answer to each task"
    caption += "" if board.device.is_functional else ", and its speedup on t_dev as metrics take it"
    return Table("answers", caption, columns, (Group(rows if entries else ()),), "No answers yet.")


def _group(entry: Entry) -> int:
    return 2 if entry.role != "entry" else 0 if entry.rank is not None else 1


def _order(entry: Entry, sort: str) -> tuple[float, ...]:
    """Largest first; what has no number stands behind what has one."""
    if sort == "name":
        return ()
    value = SORTS[sort](entry) if sort in SORTS else None
    by_rank = (float(entry.rank or 0), -(entry.compilation.share or 0.0))
    return (float(sort in SORTS and value is None), -(value or 0.0), *by_rank)


def _caption(board: Board, paper: bool) -> str:
    if paper:
        return (
            "The paper's columns by its formulas, on its clock of the category. σr is the standard deviation between "
            "runs, blank for one. None of them ranks."
        )
    if board.standings.ranked_by == "usable_speedup":
        return "Entries by usable speedup, with 95 % intervals over tasks; equal values share a rank."
    return "Entries by their rate of correct results; equal rates share a rank."


def _rank_columns(board: Board) -> tuple[Column, ...]:
    has_speed = not board.device.is_functional
    speed = (_sortable(board, "usable_speedup", "Usable speedup"),) if has_speed else ()
    wins = (Column("win", "Win, tie, loss, fail", is_number=True, metric="outcomes"),) if has_speed else ()
    return (
        _sortable(board, "rank", "Rank", "ascending"),
        _sortable(board, "name", "Entry", "ascending"),
        Column("configuration", "Configuration", on_page=False),
        *speed,
        _sortable(board, "correctness", "Correct"),
        _sortable(board, "compilation", "Compiled"),
        *wins,
        *(Column(key, "", on_page=False) for key in board_cells.extra_keys(has_speed)),
        Column("judged", "Judged", is_number=True),
        Column("runs", "Runs", is_number=True),
        Column(NOT_ON_PAGE, "Why not ranked", on_page=False),
    )


def _paper_columns(board: Board) -> tuple[Column, ...]:
    """Headings as printed; the share of the top task is ours, and stands beside the mean that it explains."""
    return (
        _sortable(board, "rank", "Rank", "ascending"),
        _sortable(board, "name", "Entry", "ascending"),
        Column("configuration", "Configuration", on_page=False),
        _sortable(board, "compilation", "Comp. %"),
        _sortable(board, "correctness", "Corr. %"),
        _sortable(board, "mean_speedup", "Mean Spd. ± σr"),
        Column("mean_speedup_sigma_r", "", on_page=False),
        Column("top_task_share", "Top task's part", is_number=True, metric="paper"),
        _sortable(board, "mean_score", "Mean Score"),
        _sortable(board, "geo_mean_speedup", "Geo. Mean ± σr"),
        Column("geo_mean_sigma_r", "", on_page=False),
        Column("geo_mean_run_averaged", "", on_page=False),
        _sortable(board, "fast_1", "fast₁ %"),
        _sortable(board, "fast_2", "fast₂ %"),
        Column("runs", "Runs", is_number=True),
        Column(NOT_ON_PAGE, "Why not ranked", on_page=False),
    )


def _sortable(board: Board, key: str, label: str, direction: str = "descending") -> Column:
    """The rank is the order without a word in the address."""
    view, wanted = board.view, "" if key == "rank" else key
    is_sorted = wanted == (view.sort if view.sort in (*SORTS, "name") else "")
    return Column(
        key,
        label,
        is_number=key != "name",
        metric=METRIC_OF.get(key, ""),
        sort_url=view.query(sort=wanted) or "?",
        sorted=direction if is_sorted else "",
    )


def _answers_cell(answers: Sequence[Answer]) -> Cell:
    if len(answers) == 1:
        answer = answers[0]
        url = page_url("result", answer.result) if answer.result else ""
        return status_cell(answer.status, url, _speedups(answers))
    found = Counter(STATUSES[answer.status].label for answer in answers)
    worst = next((answer for answer in answers if answer.status != "passed"), answers[0] if answers else None)
    if worst is None:
        return status_cell("missing")
    text = listed(f"{count} {label}" for label, count in found.most_common())
    word = STATUSES[worst.status]
    url = page_url("result", worst.result) if worst.result else ""
    return Cell(text, text, url, _speedups(answers), word.tone, word.mark)


def _speedups(answers: Sequence[Answer]) -> str:
    """Of the right ones that count and can show a speed: one, or from the least to the largest."""
    counted = [answer for answer in answers if answer.correct and answer.obstacle is None]
    logs = [answer.log_speedup for answer in counted if answer.log_speedup is not None]
    if not logs:
        return ""
    low, high = significant(factor(min(logs))), significant(factor(max(logs)))
    return f"{high}×" if low == high else f"{low} to {high}×"
