"""Where all data is: of a page at its own address below /api/v1, of all results as rows and as the nightly dump."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.formatting import NONE, moment, size
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url
from leaderboard.queries.collection import Collection
from leaderboard.queries.dump_folder import Dump, DumpFile, latest
from leaderboard.queries.public_rows import COLLECTIONS
from leaderboard.tables import Cell, Column, Table, table


@dataclass(frozen=True, slots=True)
class DataAddress:
    path: str
    summary: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPage(Page):
    dump: Dump | None  # None: none was made yet
    rows: tuple[DataAddress, ...]
    endpoints: tuple[DataAddress, ...]


def build(query: Query, endpoints: tuple[DataAddress, ...]) -> DataPage:
    dump = latest()
    rows = tuple(_row_endpoint(one) for one in COLLECTIONS)
    return DataPage(
        title="Data and API",
        lead="Put /api/v1 before any page's address and you have its data. No key, read only.",
        crumbs=(Link("ArenaBoard", "/"),),
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


def _row_endpoint(collection: Collection) -> DataAddress:
    return DataAddress(f"/api/v1/rows/{collection.name}/", collection.about, ", ".join(collection.filters))


def _endpoint_table(slug: str, caption: str, endpoints: tuple[DataAddress, ...]) -> Table:
    columns = (
        Column("path", "Address", is_code=True),
        Column("summary", "What it returns"),
        Column("query", "Query", is_code=True),
    )
    rows = [
        (Cell(one.path, one.path), Cell(one.summary, one.summary), Cell(one.query or NONE, one.query))
        for one in endpoints
    ]
    return table(slug, caption, columns, rows, "")


def _columns_table() -> Table:
    columns = (
        Column("rows", "Rows", is_code=True),
        Column("column", "Column", is_code=True),
        Column("kind", "Kind"),
        Column("about", "Meaning"),
    )
    rows = [
        (
            Cell(one.name, one.name),
            Cell(field.name, field.name),
            Cell(field.kind, field.kind),
            Cell(field.about, field.about),
        )
        for one in COLLECTIONS
        for field in one.fields
    ]
    return table("columns", "Columns", columns, rows, "")


def _dump_table(dump: Dump | None) -> Table:
    columns = (
        Column("file", "File", is_code=True),
        Column("rows", "Rows", is_number=True),
        Column("size_bytes", "Size", is_number=True),
        Column("sha256", "sha256", is_code=True),
    )
    rows = [_file_cells(file, dump.rows) for file in dump.files] if dump else []
    empty = "No dump was made yet. `manage.py beat` makes one every night, `manage.py dump_results` at once."
    caption = f"Nightly dump, made {moment(dump.made_at)}" if dump else "Nightly dump"
    return table("dump", caption, columns, rows, empty)


def _file_cells(file: DumpFile, rows: dict[str, int]) -> tuple[Cell, ...]:
    count = rows.get(file.name.partition(".")[0])
    return (
        Cell(file.name, file.name, page_url("dump", file.name)),
        Cell(NONE if count is None else str(count), count),
        Cell(size(file.size_bytes), file.size_bytes),
        Cell(f"{file.sha256[:12]}…", file.sha256),
    )
