"""What a name of a query string may hold, on every page: data refuse anything else, pages leave it out.

Names that are not here are words that are looked for (an agent, a suite, a device), and may find nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from datetime import date

from leaderboard.problems import BadQuery
from leaderboard.words import CATEGORIES, ORIGINS, RUN_STATES, VERIFICATIONS

MOST_LETTERS = 60  # of a value, said back


@dataclass(frozen=True, slots=True)
class ValueKind:
    fits: Callable[[str], bool]
    expected: str


def is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _one_of(words: Container[str], expected: str) -> ValueKind:
    return ValueKind(words.__contains__, expected)


_DAY = ValueKind(is_day, "a day such as 2026-11-28")
_NUMBER = ValueKind(is_number, "a whole number")
VALUES: Mapping[str, ValueKind] = {
    "as_of": _DAY,
    "since": _DAY,
    "version": _NUMBER,
    "page": _NUMBER,
    "old": _NUMBER,
    "new": _NUMBER,
    "view": _one_of(("paper",), "paper, or nothing"),
    "clock": _one_of(("paper",), "paper, or nothing"),
    "method": _one_of(("exclusive",), "exclusive, or nothing"),
    "common": _one_of(("1",), "1, or nothing"),
    "category": _one_of(CATEGORIES, f"one of {', '.join(CATEGORIES)}"),
    "origin": _one_of(ORIGINS, f"one of {', '.join(ORIGINS)}"),
    "state": _one_of(RUN_STATES, f"one of {', '.join(RUN_STATES)}"),
    "verification": _one_of(VERIFICATIONS, f"one of {', '.join(VERIFICATIONS)}"),
}


def is_odd(name: str, text: str) -> bool:
    """Neither empty, as a form sends what was not filled in, nor what the name may hold."""
    return bool(text) and name in VALUES and not VALUES[name].fits(text)


def refuse_odd(query: Mapping[str, str]) -> None:
    """
    Raises:
        BadQuery: a value is not what its name may hold.
    """
    for name, text in query.items():
        if is_odd(name, text):
            raise BadQuery(f"{name}={text[:MOST_LETTERS]!r}: expected {VALUES[name].expected}.")
