"""Tables of papers as printed, in a section of their own and never ranked with results measured here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, plural
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, page_url
from leaderboard.queries import published
from leaderboard.queries.published import PaperTable
from leaderboard.tables import Cell, Field, RowGroup, Table, grouped, table
from leaderboard.words import CATEGORIES

MEANS = frozenset({"mean_speedup", "speedup", "rescued_speedup", "persistent_speedup"})
NOT_PUBLISHED = "not published: a single task can dominate a mean speedup, and the paper prints no speedups of tasks"
LEAD = "Numbers as printed in papers. None were measured here, and none are ranked with results measured here."


@dataclass(frozen=True, slots=True)
class Paper:
    slug: str
    title: str
    citation: str
    url: str
    device: str
    clock: str
    note: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedPage(Page):
    papers: tuple[Paper, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTablePage(Page):
    paper: Paper
    columns: tuple[dict[str, str], ...]
    rows: tuple[dict[str, str], ...]  # text as printed
    top_task: str = field(metadata=SCREEN)  # a note on the top task's share; empty where the table has no mean


def build(query: Query) -> PublishedPage:
    rows = published.tables()
    return PublishedPage(
        title="Papers",
        lead=LEAD,
        tables=by_slug(_index(rows)),
        papers=tuple(Paper(*row[:7], row.size) for row in rows),
    )


def build_table(query: Query, *, slug: str) -> PublishedTablePage | None:
    found = published.table(slug)
    if found is None:
        return None
    cells = published.cells_of(slug)
    return PublishedTablePage(
        title=found.title,
        lead=LEAD,
        crumbs=(Link("Papers", page_url("published")),),
        tables=by_slug(printed_table(found, cells)),
        paper=Paper(*found[:7], found.size),
        columns=tuple(found.columns),
        rows=tuple(cells),
        top_task=NOT_PUBLISHED if MEANS & {column["key"] for column in found.columns} else "",
    )


def _index(rows: Sequence[PaperTable]) -> Table:
    columns: tuple[Field[PaperTable], ...] = (
        Field("table", "Table", lambda row: Cell(row.title, row.slug, page_url("published_table", row.slug))),
        Field("citation", "Paper", lambda row: Cell(row.citation, row.citation, row.url)),
        Field("device", "Device", lambda row: Cell(row.device or NONE, row.device)),
        Field("clock", "Clock", lambda row: Cell(row.clock or NONE, row.clock)),
        Field("rows", "Rows", lambda row: count_cell(row.size), is_number=True),
    )
    return table("tables", plural(len(rows), "table"), columns, rows, "No table is loaded. `make up` loads them.")


def printed_table(found: PaperTable, rows: Sequence[dict[str, str]]) -> Table:
    """Cells as printed; a first column `category` becomes headings of groups on the page."""
    keys = [column["key"] for column in found.columns]
    categories = list(dict.fromkeys(row.get("category", "") for row in rows))
    has_groups = keys[:1] == ["category"] and len(categories) < len(rows)
    columns: tuple[Field[dict[str, str]], ...] = tuple(
        _printed_field(column, rows, on_page=not (has_groups and column["key"] == "category"))
        for column in found.columns
    )
    if not has_groups:
        return table(found.slug, found.title, columns, rows, "The table has no rows.")
    groups = [
        RowGroup(tuple(row for row in rows if row.get("category", "") == name), CATEGORIES.get(name, name))
        for name in categories
    ]
    return grouped(found.slug, found.title, columns, groups, "The table has no rows.")


def _printed_field(
    column: Mapping[str, str], rows: Sequence[dict[str, str]], *, on_page: bool
) -> Field[dict[str, str]]:
    key = column["key"]

    def cell(row: dict[str, str]) -> Cell:
        text = row.get(key, "")
        return Cell(text or NONE, text)  # the value is the text: 1.30 is not 1.3

    texts = [text for row in rows if (text := row.get(key, ""))]
    return Field(key, column["label"], cell, is_number=bool(texts) and all(map(_is_number, texts)), on_page=on_page)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).removeprefix("-").isdigit() and text.isascii()
