"""Values of the distribution page."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.statistics.spread import Spread


@dataclass(frozen=True, slots=True)
class EntrySpread:
    """An entry of the board with its distribution of speedups, or the reason why it has none."""

    configuration: str
    agent: str
    model: str | None
    role: str
    rank: int | None
    spread: Spread | None
    refused: str | None
