"""The ranks of every board there is, from what the board's page is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from leaderboard.pages.board.place import Board, load
from leaderboard.pages.board.query import BoardView
from leaderboard.pages.board.standings import Entry
from leaderboard.queries.board_places import with_public_runs
from leaderboard.queries.collection import fields
from leaderboard.words import CATEGORIES

RANK_FIELDS = fields(
    "suite text - The frozen list of tasks.",
    "version integer - Of the suite.",
    "category text - hip2hip, triton2triton, torch2hip, or all.",
    "device text - The device class.",
    "protocol text - How the board times.",
    "ranked_by text - usable_speedup, or correctness where there is no clock.",
    "configuration text - Its slug.",
    "role text - entry, or reference_line, which never ranks.",
    "rank integer - Equal values share one; none where it may not rank.",
    "rank_low integer - Of the ranks that it may have, for all entries at once.",
    "rank_high integer - Of the ranks that it may have, for all entries at once.",
    "not_ranked_because text - The reason, where it may not rank.",
    "judged integer - Answers that count.",
    "of integer - Answers that the suite asks for.",
    "correct integer - Right answers.",
    "correctness number - Share of right answers.",
    "usable_speedup number - Geometric mean of what a user gains.",
)


def rank_pages() -> Iterator[list[tuple[Any, ...]]]:
    """One page for each board."""
    for place in with_public_runs():
        view = BoardView(version=str(place.version), protocol=place.protocol)
        for category in CATEGORIES:
            board = load(view, place.suite, category, place.device)
            if board is not None and board.standings.entries:
                yield [_row(board, entry) for entry in board.standings.entries]


def _row(board: Board, entry: Entry) -> tuple[Any, ...]:
    interval, speed = entry.rank_interval, entry.usable_speedup
    return (
        *(board.suite.name, board.suite.version, board.category, board.device.slug, board.view.asked_protocol),
        *(board.standings.ranked_by, entry.configuration, entry.role, entry.rank),
        *((interval.low, interval.high) if interval else (None, None)),
        *(entry.not_ranked_because, entry.judged, entry.of, entry.correctness.count, entry.correctness.share),
        speed.value if speed else None,
    )
