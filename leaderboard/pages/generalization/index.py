"""The list of generalization pages by suite, device class and round, and the hash of every round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from leaderboard.pages.base import Page, Query, by_slug, count_cell, moment_cell, page_url, round_query
from leaderboard.queries import generalization as queries
from leaderboard.queries.generalization import RoundBoardRow, RoundListRow
from leaderboard.tables import Cell, Field, Table, table, text_field
from leaderboard.words import ALL, suite_name


@dataclass(frozen=True, slots=True)
class RoundBoard:
    """A suite on a device class in one round, under one protocol."""

    suite: str
    suite_version: int
    device_class: str
    protocol: str
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
    secret_hash: str  # SHA-256 of the secret, which is on the round's boards once it is revealed
    generator: str
    opened_at: datetime
    revealed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizationsPage(Page):
    boards: tuple[RoundBoard, ...]
    rounds: tuple[OpenedRound, ...]  # all of them: the hash is public before the first run


def build(query: Query) -> GeneralizationsPage:
    rows, opened = queries.boards(), queries.rounds()
    return GeneralizationsPage(
        title="Unseen cases",
        lead="Kernels are also tested on input configurations that their agents never saw. They are generated from a "
        "round's secret, which is published when the round ends.",
        tables=by_slug(_boards_table(rows), _rounds_table(opened)),
        boards=tuple(
            RoundBoard(
                *(row.suite, row.version, row.device, row.protocol, row.round, row.opened_at, row.revealed_at),
                *(row.entries, _url(row)),
            )
            for row in rows
        ),
        rounds=tuple(
            OpenedRound(
                row.slug, row.suite, row.version, row.secret_hash, row.generator_version, row.opened_at, row.revealed_at
            )
            for row in opened
        ),
    )


def _url(row: RoundBoardRow) -> str:
    return page_url("generalization", row.suite, ALL, row.device) + round_query(row.round, row.protocol)


def _boards_table(rows: Sequence[RoundBoardRow]) -> Table:
    columns: tuple[Field[RoundBoardRow], ...] = (
        Field("suite", "Suite", _suite_cell),
        Field("device_class", "Device class", lambda row: Cell(row.device_title, row.device, note=row.device)),
        text_field("protocol", "Protocol", lambda row: row.protocol, is_code=True),
        text_field("round", "Round", lambda row: row.round),
        Field("opened", "Opened", lambda row: moment_cell(row.opened_at)),
        Field("revealed", "Revealed", lambda row: _revealed_cell(row.revealed_at)),
        Field("entries", "Entries", lambda row: count_cell(row.entries), is_number=True),
    )
    empty = (
        "No public run belongs to a round yet. A maintainer opens a round with manage.py open_round. Runs that start "
        "after that are tested on its unseen cases, and are listed here once they are published."
    )
    return table("boards", "Rounds with public runs", columns, rows, empty)


def _suite_cell(row: RoundBoardRow) -> Cell:
    return Cell(suite_name(row.suite_title, row.suite), row.suite, _url(row), f"{row.suite}@{row.version}")


def _rounds_table(opened: Sequence[RoundListRow]) -> Table:
    columns: tuple[Field[RoundListRow], ...] = (
        text_field("round", "Round", lambda row: row.slug),
        Field(
            "suite",
            "Suite",
            lambda row: Cell(suite_name(row.suite_title, row.suite), row.suite, note=f"{row.suite}@{row.version}"),
        ),
        Field("opened", "Opened", lambda row: moment_cell(row.opened_at)),
        Field("revealed", "Revealed", lambda row: _revealed_cell(row.revealed_at)),
        text_field("secret_hash", "Hash of the secret (SHA-256)", lambda row: row.secret_hash, is_code=True),
        text_field("generator", "Generator", lambda row: row.generator_version, is_code=True),
    )
    caption = "All rounds. The hash is public from the start, so anyone can check later that the secret has not changed"
    return table(
        "rounds",
        caption,
        columns,
        opened,
        "No round has been opened yet. A maintainer opens one with manage.py open_round.",
    )


def _revealed_cell(at: datetime | None) -> Cell:
    return moment_cell(at) if at else Cell("still secret")
