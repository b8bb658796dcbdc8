"""Two stages of correctness by category: how many kernels compile, and how many of these are correct.

The same tables and heat maps for what the paper prints, what was submitted and what was measured here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leaderboard.charts import HeatChart, heat_map
from leaderboard.formatting import LEAST_FOR_PERCENT, percent, plural, x_of_n
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field

STEPS = (0.1, 0.25, 0.5, 0.75)  # between the shades of the heat maps; the benchmark's shares are low
MOST_COLUMNS = 6  # of a heat map, so that it fits on a phone


@dataclass(frozen=True, slots=True)
class CategoryCount:
    category: str
    tasks: int
    of: int  # tasks × runs
    judged: int
    compiled: int
    correct: int


@dataclass(frozen=True, slots=True)
class Column:
    """What one method, run or entry has in every category, in the order of all others."""

    key: str
    name: str
    counts: tuple[CategoryCount, ...]


def compiled_map(slug: str, title: str, columns: Sequence[Column], note: str = "") -> HeatChart:
    return _heat(slug, title, columns, "Kernels that compile", lambda one: one.compiled, note)


def correct_map(slug: str, title: str, columns: Sequence[Column], note: str = "") -> HeatChart:
    return _heat(slug, title, columns, "Correct kernels", lambda one: one.correct, note)


def conversion_table(slug: str, caption: str, columns: Sequence[Column], empty: str) -> Table:
    """Correct of compiled, a row for each category and a column for each entry."""
    rows = list(zip(*(column.counts for column in columns), strict=True))
    shown: tuple[Field[tuple[CategoryCount, ...]], ...] = fields(
        text_field("category", "Category", lambda row: row[0].category),
        Field("tasks", "Tasks", lambda row: Cell(str(row[0].tasks), row[0].tasks), is_number=True),
        (field for at, column in enumerate(columns) for field in _conversion_fields(at, column)),
    )
    return table(slug, caption, shown, rows, empty)


def _conversion_fields(at: int, column: Column) -> tuple[Field[tuple[CategoryCount, ...]], ...]:
    """The shown cell, and its three counts for CSV and JSON."""

    def cell(row: tuple[CategoryCount, ...]) -> Cell:
        one = row[at]
        return Cell(x_of_n(one.correct, one.compiled), one.correct, note=f"of {one.of}")

    return (
        Field(f"{column.key}_correct", column.name, cell, is_number=True),
        hidden(f"{column.key}_compiled", lambda row: row[at].compiled, type="integer"),
        hidden(f"{column.key}_of", lambda row: row[at].of, type="integer"),
    )


def _heat(
    slug: str,
    title: str,
    columns: Sequence[Column],
    what: str,
    count: Callable[[CategoryCount], int],
    note: str,
) -> HeatChart:
    shown = columns[:MOST_COLUMNS]
    rows = [
        (one.category, plural(one.tasks, "task"), [_cell(column.counts[at], count) for column in shown])
        for at, one in enumerate(shown[0].counts)
    ]
    left_out = "" if len(shown) == len(columns) else f"The first {len(shown)} of {len(columns)} columns."
    description = f"{what} of all, by category: a row for each category, a column for each of those compared."
    notes = " ".join(filter(None, (note, left_out)))
    return heat_map(slug, title, description, [column.name for column in shown], rows, notes, STEPS)


def _cell(one: CategoryCount, count: Callable[[CategoryCount], int]) -> tuple[float | None, str, str]:
    """Without a shade where a result is missing, since its share is not known."""
    text, missing = x_of_n(count(one), one.of), one.of - one.judged
    if missing:
        return None, text, f"{missing} missing"
    share = count(one) / one.of
    return share, text, percent(share) if one.tasks >= LEAST_FOR_PERCENT else ""
