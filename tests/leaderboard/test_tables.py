from __future__ import annotations

import csv
import io

import pytest

from leaderboard.tables import Cell, Column, Group, Table, csv_lines

COLUMNS = (Column("name", "Name"), Column("value", "Value", is_number=True), Column("low", "", on_page=False))


def table(*rows: tuple[Cell, ...]) -> Table:
    return Table("t", "caption", COLUMNS, (Group(()), Group(rows, "Group")))


def read(shown: Table) -> list[list[str]]:
    return list(csv.reader(io.StringIO("".join(csv_lines(shown)))))


def test_csv_carries_values_where_the_page_shows_text() -> None:
    row = (Cell("A · B", "a"), Cell("1.50 ms", 1.5), Cell("", None))
    assert read(table(row)) == [["name", "value", "low"], ["a", "1.5", ""]]


def test_quotes_commas_and_line_ends_survive() -> None:
    assert read(table((Cell("", 'a "b", c\nd'), Cell("", 1), Cell(""))))[1][0] == 'a "b", c\nd'


def test_a_hidden_column_is_in_csv_only() -> None:
    shown = table((Cell("a", "a"), Cell("1", 1), Cell("", 0.5)))
    [(group, rows)] = shown.shown_groups
    assert [column.key for column in shown.shown_columns] == ["name", "value"]
    assert group.title == "Group"
    assert [[cell.text for _, cell in row] for row in rows] == [["a", "1"]]


def test_a_row_of_another_width_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        _ = table((Cell("a"),)).shown_groups
