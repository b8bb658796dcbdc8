"""Timing protocols on a board's pages: the one that is shown, and links to the same page under others.

Results of two protocols are never on one board. Where the current protocol has no results yet, its page says so and
leads to those of the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evaluator.records.record import PROTOCOL
from leaderboard.changelog import changelog
from leaderboard.formatting import plural
from leaderboard.queries.boards import BoardRow
from leaderboard.queries.search import FoundBoardRow

Row = TypeVar("Row", BoardRow, FoundBoardRow)


@dataclass(frozen=True, slots=True)
class OtherProtocol:
    """The same board under another protocol."""

    protocol: str
    until: str  # its last day, if another one has replaced it; else empty
    entries: int
    reference_lines: int
    url: str

    @property
    def text(self) -> str:
        counts = [plural(self.entries, "entry", "entries")] if self.entries else []
        counts += [plural(self.reference_lines, "reference line")] if self.reference_lines else []
        return f"Measured under {named(self.protocol)}: {' and '.join(counts)}"


@dataclass(frozen=True, slots=True)
class Protocols:
    """`notice` says what the page shows where that is not results of the current protocol; else it is empty."""

    notice: str
    others: tuple[OtherProtocol, ...]


def named(protocol: str) -> str:
    """The protocol's name with its time: "arena-1, the protocol until 2026-11-29"."""
    if protocol == PROTOCOL:
        return f"{protocol}, the current protocol"
    until = changelog().until.get(protocol)
    return f"{protocol}, the protocol until {until}" if until else protocol


def preferred(rows: Sequence[Row], protocol: str = PROTOCOL) -> Row:
    """Of a board's rows, one for each protocol, that of this protocol, else of the current one, else the newest."""
    return max(rows, key=lambda row: (row.protocol == protocol, row.protocol == PROTOCOL, row.newest))


def protocols_of(rows: Sequence[BoardRow], shown: str, url: Callable[[str], str]) -> Protocols:
    """What a page that shows the protocol `shown` says, given a board's rows and the page's address by protocol."""
    others = tuple(
        OtherProtocol(
            row.protocol, changelog().until.get(row.protocol, ""), row.entries, row.reference_lines, url(row.protocol)
        )
        for row in rows
        if row.protocol != shown
    )
    if not any(row.protocol == shown for row in rows):
        notice = _nothing(shown) if others else ""
    elif shown != PROTOCOL:
        notice = f"Measured under {named(shown)}. Results of two protocols are never ranked together."
        if not any(one.protocol == PROTOCOL for one in others):
            notice += f" {_nothing(PROTOCOL)}"
    else:
        notice = ""
    return Protocols(notice, others)


def _nothing(protocol: str) -> str:
    if protocol == PROTOCOL:
        return f"There are no results under {PROTOCOL}, the current protocol, yet."
    return f"There are no results under {protocol}."
