"""One entry of a board with how its speedups spread."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.statistics.spreads import Spread


@dataclass(frozen=True, slots=True)
class EntrySpread:
    configuration: str
    agent: str
    model: str | None
    role: str
    rank: int | None
    spread: Spread | None
    refused: str | None
