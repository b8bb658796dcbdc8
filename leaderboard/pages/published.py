"""Tables of papers as printed: in a section of their own, never ranked with what is measured here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, plural
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, page_url
from leaderboard.queries import published
from leaderboard.queries.published import PaperTable
from leaderboard.tables import Cell, Column, RowGroup, Table, table
from leaderboard.words import CATEGORIES

MEANS = frozenset({"mean_speedup", "speedup", "rescued_speedup", "persistent_speedup"})
NOT_PUBLISHED = "not published: one task can carry most of a mean speedup, and the paper prints none of single tasks"
LEAD = "Figures that papers printed. Nothing here was measured by us, and none of it is ranked with what was."


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
    top_task: str = field(metadata=SCREEN)  # what is known of the top task's part; empty where no mean is printed


def build(query: Query) -> PublishedPage:
    rows = published.tables()
    return PublishedPage(
        title="What papers published",
        lead=LEAD,
        crumbs=(Link("ArenaBoard", "/"),),
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
    columns = (
        Column("table", "Table"),
        Column("citation", "From"),
        Column("device", "Device"),
        Column("clock", "Clock"),
        Column("rows", "Rows", is_number=True),
    )
    lines = [
        (
            Cell(row.title, row.slug, page_url("published_table", row.slug)),
            Cell(row.citation, row.citation, row.url),
            Cell(row.device or NONE, row.device),
            Cell(row.clock or NONE, row.clock),
            count_cell(row.size),
        )
        for row in rows
    ]
    empty = "No table is loaded. `make up` loads them."
    return table("tables", plural(len(rows), "table"), columns, lines, empty)


def printed_table(found: PaperTable, cells: Sequence[dict[str, str]]) -> Table:
    """Cells as printed; a first column `category` becomes headings of groups on the page."""
    keys = [column["key"] for column in found.columns]
    numeric = {key for key in keys if _is_numeric([row.get(key, "") for row in cells])}
    grouped = keys[:1] == ["category"] and len({row.get("category") for row in cells}) < len(cells)
    columns = tuple(
        Column(
            column["key"],
            column["label"],
            column["key"] in numeric,
            on_page=not (grouped and column["key"] == "category"),
        )
        for column in found.columns
    )
    lines = [tuple(_cell(row.get(key, "")) for key in keys) for row in cells]
    if not grouped:
        return table(found.slug, found.title, columns, lines, "The table holds no rows.")
    names = list(dict.fromkeys(row.get("category", "") for row in cells))
    groups = tuple(
        RowGroup(
            tuple(line for line, row in zip(lines, cells, strict=True) if row.get("category", "") == name),
            CATEGORIES.get(name, name),
        )
        for name in names
    )
    return Table(found.slug, found.title, columns, groups, "The table holds no rows.")


def _cell(text: str) -> Cell:
    """The value is the text: 1.30 is not 1.3."""
    return Cell(text or NONE, text)


def _is_numeric(texts: Sequence[str]) -> bool:
    return any(texts) and all(_is_number(text) for text in texts if text)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).removeprefix("-").isdigit() and text.isascii()
