"""The tables of a board: its entries, with ranks or with the paper's columns, and every result by task."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from leaderboard.formatting import factor, listed, significant
from leaderboard.pages.base import entry_name, page_url, task_url
from leaderboard.pages.board.board import Board
from leaderboard.pages.board.fields import SORTS, paper_fields, rank_fields
from leaderboard.pages.board.query import BoardView
from leaderboard.pages.board.standings import BoardResult, Entry
from leaderboard.queries.boards import TaskRow
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, table
from leaderboard.words import STATUSES, status_cell

GROUPS = (
    ("", "", ""),
    ("Not ranked", "Some of their results are missing or do not count, so their rank is not known.", "unranked"),
    ("Reference lines", "Shown for comparison. Never ranked.", "reference"),
)


def in_order(entries: Sequence[Entry], view: BoardView) -> list[Entry]:
    """Sort entries: ranked ones as the view asks, then unranked ones, then reference lines; ties by name."""
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
    is_paper = board.view.view == "paper" and not board.device.is_functional
    columns = paper_fields(board.tasks) if is_paper else rank_fields(has_speed=not board.device.is_functional)
    if is_sortable:
        columns = tuple(_sortable(field, board.view) for field in columns)
    groups = (
        RowGroup(tuple(entry for entry in entries if _group(entry) == number), *about)
        for number, about in enumerate(GROUPS)
    )
    empty = f"No run under {board.view.asked_protocol} is published here yet. Start one in the admin and publish it."
    if board.standings.entries:
        empty = "No entry matches. Remove a filter."
    return grouped("entries", _caption(board, is_paper), columns, groups, empty)


def results_table(board: Board, entries: Sequence[Entry], results: Sequence[BoardResult]) -> Table:
    """Results with one row for each task and one column for each entry."""
    found: dict[tuple[str, str], list[BoardResult]] = defaultdict(list)
    for result in results:
        found[result.task, result.configuration].append(result)
    columns: tuple[Field[TaskRow], ...] = fields(
        Field("task", "Task", lambda task: Cell(task.name, task.path, task_url(task.path), task.category)),
        (_results_field(entry, found) for entry in entries),
    )
    caption = "The published results of each task" + ("" if board.device.is_functional else ", with speedups on t_dev")
    return table("results", caption, columns, board.tasks if entries else (), "No results yet.")


def _results_field(entry: Entry, found: Mapping[tuple[str, str], Sequence[BoardResult]]) -> Field[TaskRow]:
    return Field(
        entry.configuration,
        entry_name(entry.agent, entry.model),
        lambda task: _results_cell(found.get((task.path, entry.configuration), ())),
    )


def _group(entry: Entry) -> int:
    return 2 if entry.role != "entry" else 0 if entry.rank is not None else 1


def _order(entry: Entry, sort: str) -> tuple[float, ...]:
    """Sort key: largest first, entries without a number last."""
    if sort == "name":
        return ()
    value = SORTS[sort](entry) if sort in SORTS else None
    by_rank = (float(entry.rank or 0), -(entry.compilation.share or 0.0))
    return (float(sort in SORTS and value is None), -(value or 0.0), *by_rank)


def _caption(board: Board, is_paper: bool) -> str:
    if is_paper:
        return (
            "The paper's columns, by its formulas and on its clock for the category. σr is the standard deviation "
            "between runs, blank for a single run. Entries are not ranked by them."
        )
    if board.standings.ranked_by == "usable_speedup":
        return "Entries ranked by usable speedup, with 95 % confidence intervals. Equal values share a rank."
    return "Entries ranked by their rate of correct results. Equal rates share a rank."


def _sortable(field: Field[Entry], view: BoardView) -> Field[Entry]:
    """Add the address that sorts by the field. Sorting by rank is the default and needs no parameter."""
    if field.sort is None and field.key not in ("rank", "name"):
        return field
    wanted = "" if field.key == "rank" else field.key
    is_sorted = wanted == (view.sort if view.sort in (*SORTS, "name") else "")
    direction = "descending" if field.sort else "ascending"
    return replace(field, sort_url=view.query(sort=wanted) or "?", sorted=direction if is_sorted else "")


def _results_cell(results: Sequence[BoardResult]) -> Cell:
    if not results:
        return status_cell("missing")
    worst = next((result for result in results if result.status != "passed"), results[0])
    url = page_url("result", worst.result) if worst.result else ""
    if len(results) == 1:
        return status_cell(worst.status, url, _speedups(results))
    counts = Counter(STATUSES[result.status].label for result in results)
    text = listed(f"{count} {label}" for label, count in counts.most_common())
    word = STATUSES[worst.status]
    return Cell(text, text, url, _speedups(results), word.tone, word.mark)


def _speedups(results: Sequence[BoardResult]) -> str:
    """Speedups of the correct results that count: one value, or a range."""
    counted = [result for result in results if result.correct and result.obstacle is None]
    logs = [result.log_speedup for result in counted if result.log_speedup is not None]
    if not logs:
        return ""
    low, high = significant(factor(min(logs))), significant(factor(max(logs)))
    return f"{high}×" if low == high else f"{low} to {high}×"
