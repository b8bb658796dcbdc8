"""Tables as values: columns and cells with their text made once, for the page, and the raw values, for CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from leaderboard.csv_text import csv_text

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Cell:
    """`text` is shown, `value` is what CSV carries."""

    text: str
    value: Value = None
    url: str = ""
    note: str = ""  # a second line, smaller
    tone: str = ""  # good, bad, ours, open: with a mark, never by colour alone
    mark: str = ""
    iso: str = ""  # a moment for machines


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    label: str
    is_number: bool = False  # right-aligned, tabular figures
    is_code: bool = False
    on_page: bool = True  # False: only in CSV
    sort_url: str = ""
    sorted: str = ""  # ascending or descending, for aria-sort
    metric: str = ""  # where on the metrics page its formula stands


@dataclass(frozen=True, slots=True)
class Group:
    """Rows with a heading of their own; the first group often has none."""

    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    note: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    slug: str
    caption: str
    columns: tuple[Column, ...]
    groups: tuple[Group, ...]
    empty: str = "There is nothing to show yet."  # says what to do next

    @property
    def shown_columns(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.on_page)

    @property
    def shown_groups(self) -> list[tuple[Group, list[list[tuple[Column, Cell]]]]]:
        """Groups that have rows, each cell with its column."""
        return [
            (group, [[pair for pair in zip(self.columns, row, strict=True) if pair[0].on_page] for row in group.rows])
            for group in self.groups
            if group.rows
        ]

    @property
    def size(self) -> int:
        return sum(len(group.rows) for group in self.groups)


def table(slug: str, caption: str, columns: tuple[Column, ...], rows: Sequence[tuple[Cell, ...]], empty: str) -> Table:
    """The plain case: one group without a heading."""
    return Table(slug, caption, columns, (Group(tuple(rows)),), empty)


def first(whole: Table, most: int) -> Table:
    """What stands on a page of a long table of one group."""
    if whole.size <= most:
        return whole
    caption = f"{whole.caption} (the first {most} of {whole.size}; all are in the CSV)"
    return replace(whole, caption=caption, groups=(Group(whole.groups[0].rows[:most]),))


def json_rows(shown: Table) -> list[dict[str, Value]]:
    """The table's values by the keys of its columns."""
    keys = [column.key for column in shown.columns]
    rows = (row for group in shown.groups for row in group.rows)
    return [{key: cell.value for key, cell in zip(keys, row, strict=True)} for row in rows]


def csv_lines(shown: Table) -> Iterator[str]:
    """The table's values line by line, so that a long one can be streamed."""
    yield csv_text([[column.key for column in shown.columns]])
    for group in shown.groups:
        for row in group.rows:
            yield csv_text([[_plain(cell.value) for cell in row]])


def _plain(value: Value) -> Value:
    return str(value).lower() if isinstance(value, bool) else value
