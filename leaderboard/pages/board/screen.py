"""How a board's tables look: its entries, ranked or in the paper's columns, and the answer to each task."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from leaderboard.formatting import factor, listed, significant
from leaderboard.pages.base import entry_name, page_url, task_url
from leaderboard.pages.board.fields import SORTS, paper_fields, rank_fields
from leaderboard.pages.board.place import Board
from leaderboard.pages.board.query import BoardView
from leaderboard.pages.board.standings import BoardResult, Entry
from leaderboard.queries.boards import TaskRow
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, table
from leaderboard.words import STATUSES, status_cell

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
    is_paper = board.view.view == "paper" and not board.device.is_functional
    columns = paper_fields(board.tasks) if is_paper else rank_fields(has_speed=not board.device.is_functional)
    if is_sortable:
        columns = tuple(_sortable(field, board.view) for field in columns)
    groups = (
        RowGroup(tuple(entry for entry in entries if _group(entry) == place), *about)
        for place, about in enumerate(GROUPS)
    )
    empty = "No run is published on this board yet. Start one in the admin, publish it, and it stands here."
    if board.standings.entries:
        empty = "No entry matches. Take a filter away."
    return grouped("entries", _caption(board, is_paper), columns, groups, empty)


def answers_table(board: Board, entries: Sequence[Entry], answers: Sequence[BoardResult]) -> Table:
    """Tasks down, entries across: each cell leads to its result."""
    found: dict[tuple[str, str], list[BoardResult]] = defaultdict(list)
    for answer in answers:
        found[answer.task, answer.configuration].append(answer)
    columns: tuple[Field[TaskRow], ...] = fields(
        Field("task", "Task", lambda task: Cell(task.name, task.path, task_url(task.path), task.category)),
        (_answers_field(entry, found) for entry in entries),
    )
    caption = "The published answer to each task"
    caption += "" if board.device.is_functional else ", and its speedup on t_dev as metrics take it"
    return table("answers", caption, columns, board.tasks if entries else (), "No answers yet.")


def _answers_field(entry: Entry, found: Mapping[tuple[str, str], Sequence[BoardResult]]) -> Field[TaskRow]:
    return Field(
        entry.configuration,
        entry_name(entry.agent, entry.model),
        lambda task: _answers_cell(found.get((task.path, entry.configuration), ())),
    )


def _group(entry: Entry) -> int:
    return 2 if entry.role != "entry" else 0 if entry.rank is not None else 1


def _order(entry: Entry, sort: str) -> tuple[float, ...]:
    """Largest first; what has no number stands behind what has one."""
    if sort == "name":
        return ()
    value = SORTS[sort](entry) if sort in SORTS else None
    by_rank = (float(entry.rank or 0), -(entry.compilation.share or 0.0))
    return (float(sort in SORTS and value is None), -(value or 0.0), *by_rank)


def _caption(board: Board, is_paper: bool) -> str:
    if is_paper:
        return (
            "The paper's columns by its formulas, on its clock of the category. σr is the standard deviation between "
            "runs, blank for one. None of them ranks."
        )
    if board.standings.ranked_by == "usable_speedup":
        return "Entries by usable speedup, with 95 % intervals over tasks; equal values share a rank."
    return "Entries by their rate of correct results; equal rates share a rank."


def _sortable(field: Field[Entry], view: BoardView) -> Field[Entry]:
    """With the address that orders by it. The rank is the order without a word in the address."""
    if field.sort is None and field.key not in ("rank", "name"):
        return field
    wanted = "" if field.key == "rank" else field.key
    is_sorted = wanted == (view.sort if view.sort in (*SORTS, "name") else "")
    direction = "descending" if field.sort else "ascending"
    return replace(field, sort_url=view.query(sort=wanted) or "?", sorted=direction if is_sorted else "")


def _answers_cell(answers: Sequence[BoardResult]) -> Cell:
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


def _speedups(answers: Sequence[BoardResult]) -> str:
    """Of the right ones that count and can show a speed: one, or from the least to the largest."""
    counted = [answer for answer in answers if answer.correct and answer.obstacle is None]
    logs = [answer.log_speedup for answer in counted if answer.log_speedup is not None]
    if not logs:
        return ""
    low, high = significant(factor(min(logs))), significant(factor(max(logs)))
    return f"{high}×" if low == high else f"{low} to {high}×"
