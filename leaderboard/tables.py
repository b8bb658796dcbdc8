"""Tables as values: one `Field` is one column, with its heading and the cell that each row has in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from leaderboard.csv_text import csv_text

MOST_CELLS = 2_000  # of a table on a page: compressed, each takes 12 of the 60,000 bytes that a page may take
MOST_STACKED = 16  # columns of a table whose rows are readable as blocks
Value = str | int | float | bool | None
ValueType = Literal["text", "integer", "number", "boolean"]
Row = TypeVar("Row")
RowIn = TypeVar("RowIn", contravariant=True)
RowOut = TypeVar("RowOut", covariant=True)


@dataclass(frozen=True, slots=True)
class Cell:
    """`text` is shown, `value` is what CSV and JSON carry."""

    text: str
    value: Value = None
    url: str = ""
    note: str = ""  # a second line, smaller
    tone: str = ""  # good, bad, ours, open: with a mark, never by colour alone
    mark: str = ""
    iso: str = ""  # a moment for machines
    bar: float | None = None  # length of a bar below the text, from 0 to 1


@dataclass(frozen=True, slots=True)
class Field(Generic[RowIn]):
    """A column of tables whose rows are of one type."""

    key: str  # in CSV and JSON
    label: str  # on the page
    cell: Callable[[RowIn], Cell]
    is_number: bool = False  # right-aligned, tabular figures
    is_code: bool = False
    on_page: bool = True  # False: only in CSV and JSON
    metric: str = ""  # the metric's slug on the metrics page, where its formula is
    sort: Callable[[RowIn], float | None] | None = None  # orders rows by this number, the largest first
    smallest_first: bool = False
    sort_url: str = ""
    sorted: str = ""  # ascending or descending, for aria-sort
    about: str = ""  # its meaning in one sentence; the nightly dump has the board's fields that say one
    type: ValueType = "number"  # of its values in the dump


@dataclass(frozen=True, slots=True)
class RowGroup(Generic[RowOut]):
    """Rows with a heading of their own; the first group often has none."""

    rows: tuple[RowOut, ...]
    title: str = ""
    note: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and the fields to show of them; cells are made as the table is written. `table` and `grouped` make one."""

    slug: str
    caption: str
    fields: tuple[Field[Any], ...]
    groups: tuple[RowGroup[Any], ...]
    empty: str = "There is nothing to show yet."  # says what to do next

    @property
    def shown_fields(self) -> tuple[Field[Any], ...]:
        return tuple(field for field in self.fields if field.on_page)

    @property
    def shown_groups(self) -> list[tuple[RowGroup[Any], list[list[tuple[Field[Any], Cell]]]]]:
        """Groups that have rows, each cell with its field."""
        shown = self.shown_fields
        return [
            (group, [[(field, field.cell(row)) for field in shown] for row in group.rows])
            for group in self.groups
            if group.rows
        ]

    @property
    def is_stacked(self) -> bool:
        """Whether a phone shows each row as a block, its cells below one another, since it is too narrow for them."""
        return 3 < len(self.shown_fields) <= MOST_STACKED

    @property
    def size(self) -> int:
        return sum(len(group.rows) for group in self.groups)

    def cells(self) -> list[dict[str, Cell]]:
        """Each row's cells by the keys of their fields, whatever its group."""
        return [{field.key: field.cell(row) for field in self.fields} for group in self.groups for row in group.rows]


def hidden(key: str, value: Callable[[Row], Value], about: str = "", type: ValueType = "number") -> Field[Row]:
    """A field of CSV and JSON alone."""
    return Field(key, "", lambda row: Cell("", value(row)), on_page=False, about=about, type=type)


def text_field(
    key: str, label: str, text: Callable[[Row], str], *, is_code: bool = False, on_page: bool = True
) -> Field[Row]:
    """A field whose text on the page is its value."""

    def cell(row: Row) -> Cell:
        shown = text(row)
        return Cell(shown, shown)

    return Field(key, label, cell, is_code=is_code, on_page=on_page)


def fields(*parts: Field[Row] | Iterable[Field[Row]]) -> tuple[Field[Row], ...]:
    """Single fields and several at once, in one tuple. Unlike `*several` it lets mypy infer the row of a lambda."""
    return tuple(field for part in parts for field in ((part,) if isinstance(part, Field) else part))


def table(slug: str, caption: str, fields: Sequence[Field[Row]], rows: Iterable[Row], empty: str) -> Table:
    """The plain case: one group without a heading."""
    return Table(slug, caption, tuple(fields), (RowGroup(tuple(rows)),), empty)


def grouped(
    slug: str, caption: str, fields: Sequence[Field[Row]], groups: Iterable[RowGroup[Row]], empty: str
) -> Table:
    """Rows under headings."""
    return Table(slug, caption, tuple(fields), tuple(groups), empty)


def first(whole: Table, most: int, rest: str = "all are in the CSV") -> Table:
    """Return the part of a long table of one group that fits on a page; the caption says where the `rest` is."""
    if whole.size <= most:
        return whole
    caption = f"{whole.caption} (the first {most} of {whole.size}; {rest})"
    return replace(whole, caption=caption, groups=(RowGroup(whole.groups[0].rows[:most]),))


def fitting(matrix: Table) -> Table:
    """The part that fits on a page of a table with a column for each entry.

    Its cells on the page have more than their values: speedups, and links to results.
    """
    rest = "the CSV has what came of all, this page's JSON their speedups and results too"
    return first(matrix, max(1, MOST_CELLS // len(matrix.shown_fields)), rest)


def json_rows(shown: Table) -> list[dict[str, Value]]:
    """The table's values by the keys of its fields."""
    return [{key: cell.value for key, cell in row.items()} for row in shown.cells()]


def csv_lines(shown: Table) -> Iterator[str]:
    """The table's values line by line, so that a long one can be streamed."""
    yield csv_text([[field.key for field in shown.fields]])
    for group in shown.groups:
        for row in group.rows:
            yield csv_text([[_plain(field.cell(row).value) for field in shown.fields]])


def _plain(value: Value) -> Value:
    return str(value).lower() if isinstance(value, bool) else value
