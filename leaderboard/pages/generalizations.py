"""Where unseen cases were tried: every suite, device class and round with public runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from leaderboard.formatting import plural
from leaderboard.pages.base import Page, Query, by_slug, count_cell, moment_cell, page_url
from leaderboard.queries import generalization as queries
from leaderboard.queries.generalization import PlaceRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import ALL, suite_name


@dataclass(frozen=True, slots=True)
class UnseenPlace:
    suite: str
    suite_version: int
    device_class: str
    round: str
    opened_at: datetime
    revealed_at: datetime | None
    entries: int  # configurations, reference lines included
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizationsPage(Page):
    places: tuple[UnseenPlace, ...]


def build(query: Query) -> GeneralizationsPage:
    rows = queries.places()
    places = tuple(_place(row) for row in rows)
    return GeneralizationsPage(
        title="Unseen cases",
        lead="A kernel is also tried on configurations that its agent never saw. They follow from a round's secret, "
        "which is published when the round ends.",
        tables=by_slug(_table(rows, places)),
        places=places,
    )


def _place(row: PlaceRow) -> UnseenPlace:
    url = f"{page_url('generalization', row.suite, ALL, row.device)}?round={row.round}"
    return UnseenPlace(row.suite, row.version, row.device, row.round, row.opened_at, row.revealed_at, row.entries, url)


def _table(rows: Sequence[PlaceRow], places: Sequence[UnseenPlace]) -> Table:
    columns = (
        Column("suite", "Suite"),
        Column("device_class", "Device class"),
        Column("round", "Round"),
        Column("opened", "Opened"),
        Column("revealed", "Revealed"),
        Column("entries", "Lines", is_number=True),
    )
    cells = [
        (
            Cell(suite_name(row.suite_title, row.suite), row.suite, place.url, f"{row.suite}@{row.version}"),
            Cell(row.device_title, row.device, note=row.device),
            Cell(row.round, row.round),
            moment_cell(row.opened_at),
            moment_cell(row.revealed_at) if row.revealed_at else Cell("still secret"),
            count_cell(row.entries),
        )
        for row, place in zip(rows, places, strict=True)
    ]
    empty = (
        "No public run has a round yet. A maintainer opens one with manage.py open_round; runs that start after it are "
        "tried on its unseen cases, and stand here once they are published."
    )
    caption = f"Rounds with public runs: {plural(len(places), 'place')}"
    return table("places", caption, columns, cells, empty)
