"""The ranks of every leaderboard in the dump: facts of the board, then the columns of its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from leaderboard.pages.board.board import Board, load
from leaderboard.pages.board.fields import Fields, every_field
from leaderboard.pages.board.query import BoardView
from leaderboard.pages.board.standings import Entry
from leaderboard.queries.collection import CollectionField
from leaderboard.queries.suite_boards import with_public_runs
from leaderboard.tables import Field, ValueType, hidden
from leaderboard.words import CATEGORIES


@dataclass(frozen=True, slots=True)
class BoardFact:
    """A column that is the same for all entries of a board."""

    name: str
    type: ValueType
    about: str
    value: Callable[[Board], str | int]


BOARD_FACTS = (
    BoardFact("suite", "text", "Suite: a frozen list of tasks.", lambda board: board.suite.name),
    BoardFact("version", "integer", "Version of the suite.", lambda board: board.suite.version),
    BoardFact("category", "text", f"One of {', '.join(CATEGORIES)}.", lambda board: board.category),
    BoardFact("device", "text", "Device class.", lambda board: board.device.slug),
    BoardFact("protocol", "text", "Timing protocol.", lambda board: board.view.asked_protocol),
    BoardFact(
        "ranked_by",
        "text",
        "What ranks go by: usable_speedup, or correctness without a device clock.",
        lambda board: board.standings.ranked_by,
    ),
)
ROLE: Field[Entry] = hidden("role", lambda entry: entry.role, "entry, or reference_line, never ranked.", "text")


def _entry_fields(board: Board | None) -> Fields:
    return (ROLE, *(field for field in every_field(board.tasks if board else ()) if field.about))


RANK_FIELDS = (
    *(CollectionField(fact.name, fact.type, fact.about) for fact in BOARD_FACTS),
    *(CollectionField(field.key, field.type, field.about) for field in _entry_fields(None)),
)


def rank_pages() -> Iterator[list[tuple[Any, ...]]]:
    """Rows of RANK_FIELDS, a list for each leaderboard."""
    for row in with_public_runs():
        view = BoardView(version=str(row.version), protocol=row.protocol)
        for category in CATEGORIES:
            board = load(view, row.suite, category, row.device)
            if board is not None and board.standings.entries:
                facts = [fact.value(board) for fact in BOARD_FACTS]
                columns = _entry_fields(board)
                yield [(*facts, *(field.cell(entry).value for field in columns)) for entry in board.standings.entries]
