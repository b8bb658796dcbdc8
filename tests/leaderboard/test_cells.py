"""Cells as HTML: every part in its place, and no untrusted text as markup."""

from __future__ import annotations

from dataclasses import replace

import pytest

from leaderboard.tables import Cell, Field
from leaderboard.templatetags.cells import cells

PLAIN = Field("a", "A", Cell)
NUMBER, CODE = replace(PLAIN, is_number=True), replace(PLAIN, is_code=True)


def test_the_first_cell_heads_its_row_and_columns_say_what_they_hold() -> None:
    row = cells([(PLAIN, Cell("x")), (NUMBER, Cell("1")), (CODE, Cell("ab"))])
    assert row == '<th scope="row">x</th><td class="number">1</td><td class="code">ab</td>'


def test_where_rows_are_stacked_each_cell_carries_its_heading() -> None:
    assert cells([(PLAIN, Cell("x")), (replace(NUMBER, label='"A"'), Cell("1"))], True) == (
        '<th scope="row" data-label="A">x</th><td class="number" data-label="&quot;A&quot;">1</td>'
    )


@pytest.mark.parametrize(
    ("cell", "html"),
    [
        (Cell("x", url="/y/"), '<a href="/y/">x</a>'),
        (Cell("now", iso="2026-11-28"), '<time datetime="2026-11-28">now</time>'),
        (
            Cell("1.5×", bar=0.75),
            '1.5×<svg class="length" aria-hidden="true"><rect width="75.0%" height="100%"/></svg>',
        ),
        (Cell("x", note="run `make up`"), "x <small>run <code>make up</code></small>"),
        (
            Cell("right", mark="✓", tone="good"),
            '<span class="marked"><span class="mark good" aria-hidden="true">✓</span> '
            '<span class="good">right</span></span>',
        ),
        (
            Cell("right", mark="✓", tone="good", url="/y/"),
            '<span class="marked"><span class="mark good" aria-hidden="true">✓</span> <a href="/y/">right</a></span>',
        ),
    ],
    ids=["link", "moment", "bar", "note", "mark", "marked link"],
)
def test_a_cell_has_its_parts(cell: Cell, html: str) -> None:
    assert cells([(PLAIN, cell)]) == f'<th scope="row">{html}</th>'


def test_no_part_of_a_cell_becomes_markup() -> None:
    bad = "<b>\"'&`<i>`"
    for values in ({}, {"url": bad}, {"iso": bad}, {"mark": bad, "tone": bad}, {"mark": bad, "url": bad}):
        html = cells([(PLAIN, Cell(bad, note=bad, **values))])
        assert "<b>" not in html
        assert "<i>" not in html
        assert '""' not in html.replace("&quot;", "")


def test_an_empty_row_is_empty() -> None:
    assert cells([]) == ""
