"""A board where others show it: its citation, its badges, and the lines of its card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Literal

from leaderboard.formatting import rate, short, significant
from leaderboard.pages.base import day_of, ranked_name
from leaderboard.pages.board.board import Board, as_of
from leaderboard.pages.board.standings import Entry
from leaderboard.tables import Table, csv_lines
from leaderboard.words import role_note

MOST_ON_A_CARD = 3


@dataclass(frozen=True, slots=True)
class Citation:
    """What identifies a board as it was on one day. Addresses are without scheme and host."""

    key: str  # of the BibTeX entry
    title: str
    day: str  # of the data, in UTC
    url: str  # shows what was public by the end of that day
    is_over: bool  # the day: otherwise what is published until its end changes the digest, too
    csv_url: str  # the ranks on that day, without what only today has
    sha256: str  # of the bytes at `csv_url`: another digest means that something was withdrawn or corrected since
    note: str


@dataclass(frozen=True, slots=True)
class Badge:
    left: str
    right: str
    kind: Literal["ranked", "other"]


def cited(board: Board) -> Board:
    """The board that a citation names: of the day that was asked for, else of yesterday, or of today if it began today.

    It is neither filtered by trust nor sorted, since an earlier day's trust and costs are not known.
    """
    today = datetime.now(UTC).date()
    day = today - timedelta(days=1)
    if board.view.as_of or all(run.published_at.astimezone(UTC).date() > day for run in board.runs):
        found = replace(board, view=replace(board.view, as_of=day_of({"as_of": board.view.as_of})))
    else:
        found = as_of(board, day.isoformat())
    return replace(found, view=replace(found.view, trust="", sort=""))


def citation_of(board: Board, ranks: Table) -> Citation:
    """Of a board that `cited` returned, and its `cited_table`."""
    day = board.view.as_of
    url = board.url()
    path, _, query = url.partition("?")
    digest = sha256("".join(csv_lines(ranks)).encode()).hexdigest()
    return Citation(
        key="-".join(("arenaboard", board.suite.name, board.category, board.device.slug, day)),
        title=f"ArenaBoard: {board.title} on {board.device.title}",
        day=day,
        url=url,
        is_over=date.fromisoformat(day) < datetime.now(UTC).date(),
        csv_url=f"/api/v1{path}cited.csv?{query}",
        sha256=digest,
        note=f"{board.subject}, suite digest {short(board.suite.digest)}, as of {day}, SHA-256 of cited.csv {digest}",
    )


def badge_of(board: str, entries: Sequence[Entry], configuration: str) -> Badge | None:
    """The badge of an entry, or of the board where no configuration is named; None for one that is not on it."""
    ranked = _by_rank(entries)
    if not configuration:
        return Badge(board, f"best: {_value(ranked[0])}", "ranked") if ranked else Badge(board, "no entry yet", "other")
    entry = next((one for one in entries if one.configuration == configuration), None)
    if entry is None:
        return None
    if entry.rank is None:
        return Badge(board, role_note(entry.role) or "not ranked", "other")
    return Badge(board, f"rank {entry.rank} of {len(ranked)}, {_value(entry)}", "ranked")


def card_lines(entries: Sequence[Entry]) -> tuple[tuple[str, str], ...]:
    """Name and value of the first entries; reference lines and what is not ranked are not among them."""
    return tuple(
        (ranked_name(entry.rank, entry.agent, entry.model), _value(entry))
        for entry in _by_rank(entries)[:MOST_ON_A_CARD]
    )


def _by_rank(entries: Sequence[Entry]) -> list[Entry]:
    """The ranked entries, whatever the page is sorted by."""
    ranked = [(entry.rank, entry) for entry in entries if entry.rank is not None]
    return [entry for _, entry in sorted(ranked, key=lambda pair: pair[0])]


def _value(entry: Entry) -> str:
    speed = entry.usable_speedup.value if entry.usable_speedup else None
    if speed is not None:
        return f"{significant(speed)}× as fast as the baseline"
    return f"{rate(entry.correctness.count, entry.correctness.of)} correct"
