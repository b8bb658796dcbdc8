"""Addresses of all data: of each page below /api/v1, of the rows of everything public, and of the nightly dump."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.formatting import NONE, moment, size
from leaderboard.pages.base import Page, Query, by_slug, count_cell, page_url
from leaderboard.queries.collection import Collection, CollectionField
from leaderboard.queries.dump_folder import Dump, DumpFile, latest
from leaderboard.queries.public_rows import COLLECTIONS
from leaderboard.tables import Cell, Field, Table, table, text_field


@dataclass(frozen=True, slots=True)
class DataAddress:
    path: str
    summary: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPage(Page):
    dump: Dump | None  # None until the first one is made
    rows: tuple[DataAddress, ...]
    endpoints: tuple[DataAddress, ...]


def build(query: Query, endpoints: tuple[DataAddress, ...]) -> DataPage:
    dump = latest()
    rows = tuple(DataAddress(f"/api/v1/rows/{one.name}/", one.about, ", ".join(one.filters)) for one in COLLECTIONS)
    return DataPage(
        title="Data and API",
        lead="Put /api/v1 before the address of any page to get its data. Read-only, no key needed.",
        tables=by_slug(
            _dump_table(dump),
            _endpoint_table("rows", "Rows", rows),
            _columns_table(),
            _endpoint_table("endpoints", "Pages", endpoints),
        ),
        dump=dump,
        rows=rows,
        endpoints=endpoints,
    )


def _endpoint_table(slug: str, caption: str, endpoints: tuple[DataAddress, ...]) -> Table:
    columns: tuple[Field[DataAddress], ...] = (
        text_field("path", "Address", lambda one: one.path, is_code=True),
        text_field("summary", "What it returns", lambda one: one.summary),
        Field("query", "Query", lambda one: Cell(one.query or NONE, one.query), is_code=True),
    )
    return table(slug, caption, columns, endpoints, "")


def _columns_table() -> Table:
    columns: tuple[Field[tuple[Collection, CollectionField]], ...] = (
        text_field("rows", "Rows", lambda row: row[0].name, is_code=True),
        text_field("column", "Column", lambda row: row[1].name, is_code=True),
        text_field("kind", "Type", lambda row: row[1].kind),
        text_field("about", "Meaning", lambda row: row[1].about),
    )
    rows = [(collection, field) for collection in COLLECTIONS for field in collection.fields]
    return table("columns", "Columns", columns, rows, "")


def _dump_table(dump: Dump | None) -> Table:
    counts = dump.rows if dump else {}
    columns: tuple[Field[DumpFile], ...] = (
        Field("file", "File", lambda file: Cell(file.name, file.name, page_url("dump", file.name)), is_code=True),
        Field("rows", "Rows", lambda file: count_cell(counts.get(file.name.partition(".")[0])), is_number=True),
        Field("size_bytes", "Size", lambda file: Cell(size(file.size_bytes), file.size_bytes), is_number=True),
        Field("sha256", "SHA-256", lambda file: Cell(f"{file.sha256[:12]}…", file.sha256), is_code=True),
    )
    empty = "No dump has been made yet. `manage.py beat` makes one every night, `manage.py dump_results` makes one now."
    caption = f"Nightly dump, made {moment(dump.made_at)}" if dump else "Nightly dump"
    return table("dump", caption, columns, dump.files if dump else (), empty)
