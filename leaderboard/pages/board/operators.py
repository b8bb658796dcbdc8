"""A board by type of operator: how many results of each entry compile, and how many are correct, of how many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.charts import HeatChart, heat_map
from leaderboard.formatting import plural
from leaderboard.pages.base import entry_name, short_names
from leaderboard.pages.board.board import Board
from leaderboard.pages.board.standings import Entry
from leaderboard.tables import Cell, Field, Table, fields, table, text_field

MOST_COLUMNS = 6  # of the heat map, so that it fits on a phone
OTHER = "not stated"


@dataclass(frozen=True, slots=True)
class OperatorCounts:
    """The results of one entry on the tasks of one type."""

    operator: str
    configuration: str
    tasks: int
    compiled: int
    correct: int
    of: int  # tasks × runs

    @property
    def text(self) -> str:
        """Counts, since a percentage of few tasks says more than they do."""
        return f"{self.correct} of {self.of}"


def by_operator(board: Board, entries: Sequence[Entry]) -> tuple[OperatorCounts, ...]:
    """Each type in the order of the alphabet, in it each entry; empty if the tasks are of one type only."""
    tasks: dict[str, list[int]] = {}
    for at, task in enumerate(board.tasks):
        tasks.setdefault(task.operator or OTHER, []).append(at)
    if len(tasks) < 2:
        return ()
    return tuple(_counts(board, name, entry, tasks[name]) for name in sorted(tasks) for entry in entries)


def operators_table(found: Sequence[OperatorCounts], entries: Sequence[Entry]) -> Table:
    rows = _rows(found)
    columns: tuple[Field[dict[str, OperatorCounts]], ...] = fields(
        text_field("operator", "Type of operator", lambda row: _first(row).operator),
        Field("tasks", "Tasks", lambda row: Cell(str(_first(row).tasks), _first(row).tasks), is_number=True),
        (_entry_field(entry) for entry in entries),
    )
    caption = "Correct results by type of operator, and how many compile"
    return table("operators", caption, columns, rows, "The tasks of this leaderboard are of one type.")


def operators_chart(found: Sequence[OperatorCounts], entries: Sequence[Entry]) -> HeatChart | None:
    shown = entries[:MOST_COLUMNS]
    if not found:
        return None
    note = "" if len(shown) == len(entries) else f"The first {len(shown)} of {len(entries)} entries."
    given = [
        (
            _first(row).operator,
            plural(_first(row).tasks, "task"),
            [_heat_cell(row[entry.configuration]) for entry in shown],
        )
        for row in _rows(found)
    ]
    description = "Correct results of all, by type of operator and entry: a row for each type, a column for each entry."
    names = short_names([(entry.agent, entry.model) for entry in shown])
    return heat_map("operators", "Correctness by type of operator", description, names, given, note)


def _counts(board: Board, name: str, entry: Entry, own: list[int]) -> OperatorCounts:
    matrix = board.standings.matrices[entry.configuration]
    compiled, correct = (int(flags[own].sum()) for flags in (matrix.compiled, matrix.correct))
    return OperatorCounts(name, entry.configuration, len(own), compiled, correct, len(own) * matrix.runs)


def _rows(found: Sequence[OperatorCounts]) -> list[dict[str, OperatorCounts]]:
    """For each type the counts by configuration."""
    rows: dict[str, dict[str, OperatorCounts]] = {}
    for one in found:
        rows.setdefault(one.operator, {})[one.configuration] = one
    return list(rows.values())


def _first(row: dict[str, OperatorCounts]) -> OperatorCounts:
    return next(iter(row.values()))


def _entry_field(entry: Entry) -> Field[dict[str, OperatorCounts]]:
    def cell(row: dict[str, OperatorCounts]) -> Cell:
        one = row[entry.configuration]
        return Cell(one.text, one.correct, note=f"{one.compiled} compiled")

    return Field(entry.configuration, entry_name(entry.agent, entry.model), cell, is_number=True)


def _heat_cell(one: OperatorCounts) -> tuple[float | None, str, str]:
    return (one.correct / one.of if one.of else None), one.text, ""
