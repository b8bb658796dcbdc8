"""Where the data behind every page is: JSON, CSV and SVG at the page's own address below /api/v1."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.pages.base import Link, Page, Query, by_slug
from leaderboard.tables import Cell, Column, table


@dataclass(frozen=True, slots=True)
class Endpoint:
    path: str
    summary: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPage(Page):
    endpoints: tuple[Endpoint, ...]


def build(query: Query, endpoints: tuple[Endpoint, ...]) -> DataPage:
    columns = (
        Column("path", "Address", is_code=True),
        Column("summary", "What it returns"),
        Column("query", "Query", is_code=True),
    )
    rows = [
        (Cell(one.path, one.path), Cell(one.summary, one.summary), Cell(one.query or "–", one.query))
        for one in endpoints
    ]
    return DataPage(
        title="Data and API",
        lead="Put /api/v1 before any page's address and you have its data. No key, read only.",
        crumbs=(Link("ArenaBoard", "/"),),
        tables=by_slug(table("endpoints", "Addresses", columns, rows, "")),
        endpoints=endpoints,
    )
