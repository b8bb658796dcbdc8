"""The ranks of every board there is, from what the board's page is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from leaderboard.pages.board import fields as board_fields
from leaderboard.pages.board.board import Board, load
from leaderboard.pages.board.query import BoardView
from leaderboard.pages.board.standings import Entry
from leaderboard.queries import collection
from leaderboard.queries.board_places import with_public_runs
from leaderboard.queries.collection import Kind
from leaderboard.tables import Field, Value, hidden
from leaderboard.words import CATEGORIES


@dataclass(frozen=True, slots=True)
class RankField:
    """A column of the ranks in the dump."""

    name: str
    kind: Kind
    about: str
    value: Callable[[Board, Entry], Value]


def _of_board(name: str, kind: Kind, about: str, value: Callable[[Board], Value]) -> RankField:
    return RankField(name, kind, about, lambda board, _: value(board))


def _of_entry(field: Field[Entry], kind: Kind, about: str) -> RankField:
    """What the board's CSV has under the same name."""
    return RankField(field.key, kind, about, lambda _, entry: field.cell(entry).value)


_FIELDS = (
    _of_board("suite", "text", "The frozen list of tasks.", lambda board: board.suite.name),
    _of_board("version", "integer", "Of the suite.", lambda board: board.suite.version),
    _of_board("category", "text", "hip2hip, triton2triton, torch2hip, or all.", lambda board: board.category),
    _of_board("device", "text", "The device class.", lambda board: board.device.slug),
    _of_board("protocol", "text", "How the board times.", lambda board: board.view.asked_protocol),
    _of_board(
        "ranked_by",
        "text",
        "usable_speedup, or correctness where there is no clock.",
        lambda board: board.standings.ranked_by,
    ),
    _of_entry(board_fields.CONFIGURATION, "text", "Its slug."),
    _of_entry(hidden("role", lambda entry: entry.role), "text", "entry, or reference_line, which never ranks."),
    _of_entry(board_fields.RANK, "integer", "Equal values share one; none where it may not rank."),
    _of_entry(board_fields.RANK_LOW, "integer", "Of the ranks that it may have, for all entries at once."),
    _of_entry(board_fields.RANK_HIGH, "integer", "Of the ranks that it may have, for all entries at once."),
    _of_entry(board_fields.NOT_RANKED_BECAUSE, "text", "The reason, where it may not rank."),
    _of_entry(board_fields.JUDGED, "integer", "Answers that count."),
    _of_entry(hidden("of", lambda entry: entry.of), "integer", "Answers that the suite asks for."),
    _of_entry(hidden("correct", lambda entry: entry.correctness.count), "integer", "Right answers."),
    _of_entry(board_fields.CORRECTNESS, "number", "Share of right answers."),
    _of_entry(board_fields.USABLE_SPEEDUP, "number", "Geometric mean of what a user gains."),
)
RANK_FIELDS = tuple(collection.CollectionField(one.name, one.kind, one.about) for one in _FIELDS)


def rank_pages() -> Iterator[list[tuple[Any, ...]]]:
    """One page for each board."""
    for place in with_public_runs():
        view = BoardView(version=str(place.version), protocol=place.protocol)
        for category in CATEGORIES:
            board = load(view, place.suite, category, place.device)
            if board is not None and board.standings.entries:
                yield [tuple(one.value(board, entry) for one in _FIELDS) for entry in board.standings.entries]
