"""A field is a column: its heading and its cells come from one value, wherever they are shown."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from leaderboard.tables import (
    MOST_CELLS,
    Cell,
    Field,
    RowGroup,
    Table,
    csv_lines,
    fields,
    first,
    fitting,
    grouped,
    hidden,
    json_rows,
    table,
    text_field,
)


@dataclass(frozen=True, slots=True)
class Measured:
    name: str
    value: float | str | None
    low: float | None = None
    is_right: bool | None = None


FIELDS: tuple[Field[Measured], ...] = (
    Field("name", "Name", lambda one: Cell(one.name.upper(), one.name)),
    Field("value", "Value", lambda one: Cell(f"{one.value} ms", one.value), is_number=True),
    hidden("low", lambda one: one.low),
)
A, B = Measured("a", 1.5, 0.5), Measured("b", 2.5)


def read(shown: Table) -> list[list[str]]:
    return list(csv.reader(io.StringIO("".join(csv_lines(shown)))))


def test_csv_and_json_carry_values_where_the_page_shows_text() -> None:
    shown = table("t", "Caption", FIELDS, [A, B], "")
    assert read(shown) == [["name", "value", "low"], ["a", "1.5", "0.5"], ["b", "2.5", ""]]
    assert json_rows(shown)[0] == {"name": "a", "value": 1.5, "low": 0.5}
    assert [cell.text for cell in shown.cells()[0].values()] == ["A", "1.5 ms", ""]


def test_quotes_commas_and_line_ends_survive() -> None:
    assert read(table("t", "", FIELDS, [Measured('a "b", c\nd', 1)], ""))[1][0] == 'a "b", c\nd'


def test_truth_is_written_as_json_writes_it() -> None:
    right: Field[Measured] = hidden("is_right", lambda one: one.is_right)
    rows = [Measured("a", 1, is_right=answer) for answer in (True, False, None)]
    assert read(table("t", "", (FIELDS[0], right), rows, ""))[1:] == [["a", "true"], ["a", "false"], ["a", ""]]


def test_a_hidden_field_is_in_csv_and_json_only() -> None:
    [(_, [row, _])] = table("t", "", FIELDS, [A, B], "").shown_groups
    assert [field.key for field, _ in row] == ["name", "value"]


def test_a_group_without_rows_has_no_heading() -> None:
    shown = grouped("t", "", FIELDS, [RowGroup(()), RowGroup((A, B), "Group")], "")
    assert [group.title for group, _ in shown.shown_groups] == ["Group"]
    assert shown.size == 2


def test_moving_a_field_moves_its_cells() -> None:
    name, value, low = FIELDS
    assert json_rows(table("t", "", (low, value, name), [A], "")) == json_rows(table("t", "", FIELDS, [A], ""))
    assert read(table("t", "", (value, name), [A], "")) == [["value", "name"], ["1.5", "a"]]


def test_single_fields_and_several_at_once_make_one_tuple() -> None:
    name, value, low = FIELDS
    assert fields(name, (), [value, low]) == FIELDS


def test_the_page_of_a_long_table_says_that_it_is_cut() -> None:
    shown = first(table("t", "Caption", FIELDS, [A, B], ""), 1)
    assert (shown.size, shown.caption) == (1, "Caption (the first 1 of 2; all are in the CSV)")
    assert first(shown, 1) is shown


def test_a_table_with_a_column_for_each_entry_is_cut_by_its_cells() -> None:
    wide = [text_field(str(at), "", str) for at in range(MOST_CELLS // 10)]
    assert fitting(table("t", "T", wide, range(10), "")).size == 10
    cut = fitting(table("t", "T", wide, range(11), ""))
    assert cut.size == 10
    assert cut.caption == (
        "T (the first 10 of 11; the CSV has what came of all, this page's JSON their speedups and results too)"
    )
