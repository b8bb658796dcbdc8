"""Where unseen cases were tried: every suite, device class and round with public runs; and every round's hash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from leaderboard.formatting import plural
from leaderboard.pages.base import Page, Query, by_slug, count_cell, moment_cell, page_url
from leaderboard.queries import generalization as queries
from leaderboard.queries.generalization import OpenedRow, RoundPlaceRow
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


@dataclass(frozen=True, slots=True)
class OpenedRound:
    round: str
    suite: str
    suite_version: int
    secret_hash: str  # sha256 of the secret, which is with the round's places once it is revealed
    generator: str
    opened_at: datetime
    revealed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizationsPage(Page):
    places: tuple[UnseenPlace, ...]
    rounds: tuple[OpenedRound, ...]  # all of them: a hash is public before anybody takes part


def build(query: Query) -> GeneralizationsPage:
    rows, opened = queries.places(), queries.opened()
    places = tuple(_place(row) for row in rows)
    return GeneralizationsPage(
        title="Unseen cases",
        lead="A kernel is also tried on configurations that its agent never saw. They follow from a round's secret, "
        "which is published when the round ends.",
        tables=by_slug(_table(rows, places), _rounds_table(opened)),
        places=places,
        rounds=tuple(_opened(row) for row in opened),
    )


def _place(row: RoundPlaceRow) -> UnseenPlace:
    url = f"{page_url('generalization', row.suite, ALL, row.device)}?round={row.round}"
    return UnseenPlace(row.suite, row.version, row.device, row.round, row.opened_at, row.revealed_at, row.entries, url)


def _opened(row: OpenedRow) -> OpenedRound:
    return OpenedRound(
        row.slug, row.suite, row.version, row.secret_hash, row.generator_version, row.opened_at, row.revealed_at
    )


def _table(rows: Sequence[RoundPlaceRow], places: Sequence[UnseenPlace]) -> Table:
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
            _revealed_cell(row.revealed_at),
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


def _rounds_table(opened: Sequence[OpenedRow]) -> Table:
    columns = (
        Column("round", "Round"),
        Column("suite", "Suite"),
        Column("opened", "Opened"),
        Column("revealed", "Revealed"),
        Column("secret_hash", "Hash of the secret (SHA-256)", is_code=True),
        Column("generator", "Generator", is_code=True),
    )
    cells = [
        (
            Cell(row.slug, row.slug),
            Cell(suite_name(row.suite_title, row.suite), row.suite, note=f"{row.suite}@{row.version}"),
            moment_cell(row.opened_at),
            _revealed_cell(row.revealed_at),
            Cell(row.secret_hash, row.secret_hash),
            Cell(row.generator_version, row.generator_version),
        )
        for row in opened
    ]
    caption = "All rounds: the hash is public from the start, and tells afterwards that the secret was not changed"
    return table("rounds", caption, columns, cells, "No round was opened yet.")


def _revealed_cell(at: datetime | None) -> Cell:
    return moment_cell(at) if at else Cell("still secret")
