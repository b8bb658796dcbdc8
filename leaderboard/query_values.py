"""Valid values of query parameters. Data refuses any other value, pages ignore it.

Parameters that are not listed here (agent, suite, source) are searched for as they are, and may find nothing: a list
is then empty. A board, which is nothing without tasks, ignores a source and operator that leave none (`board.load`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from datetime import date

from evaluator.records.edits import KINDS
from evaluator.records.moments import is_future_day
from evaluator.records.transitions import TRANSITIONS
from leaderboard.problems import BadQuery
from leaderboard.words import CATEGORIES, RUN_STATES, STATUSES
from runs.trust import OF_RUNS

MOST_LETTERS = 60  # of a value that an error quotes
MOST_VALUE = 200  # characters of a value, since a page repeats it in each of its links


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


_ANY = ValueKind(
    lambda text: len(text) <= MOST_VALUE and "\0" not in text, f"at most {MOST_VALUE} characters, without NUL"
)
_DAY = ValueKind(is_day, "a day such as 2026-11-28")
_NUMBER = ValueKind(is_number, "a whole number")
VALUES: Mapping[str, ValueKind] = {
    "as_of": ValueKind(lambda text: is_day(text) and not is_future_day(text), f"{_DAY.expected}, not in the future"),
    "since": _DAY,
    "version": _NUMBER,
    "page": _NUMBER,
    "old": _NUMBER,
    "new": _NUMBER,
    "view": _one_of(("paper",), "paper, or nothing"),
    "clock": _one_of(("paper",), "paper, or nothing"),
    "method": _one_of(("exclusive",), "exclusive, or nothing"),
    "carry": _one_of(("best",), "best, or nothing"),
    "origin": _one_of(("sessions", "corpora"), "sessions or corpora"),
    "submission": _NUMBER,
    "transition": _one_of(TRANSITIONS, f"one of {', '.join(TRANSITIONS)}"),
    "edit": _one_of(KINDS, f"one of {', '.join(KINDS)}"),
    "error": _one_of(STATUSES, "a status such as build_failed"),
    "common": _one_of(("1",), "1, or nothing"),
    "ranks": _one_of(("cut",), "cut, or nothing"),
    "category": _one_of(CATEGORIES, f"one of {', '.join(CATEGORIES)}"),
    "state": _one_of(RUN_STATES, f"one of {', '.join(RUN_STATES)}"),
    "trust": _one_of(OF_RUNS, f"one of {', '.join(OF_RUNS)}"),
}


def is_invalid(name: str, text: str) -> bool:
    """True if the value is invalid. Empty is valid, as forms send fields that were not filled in."""
    return bool(text) and not (_ANY.fits(text) and VALUES.get(name, _ANY).fits(text))


def refuse_invalid(query: Mapping[str, str]) -> None:
    """
    Raises:
        BadQuery: a value is invalid.
    """
    for name, text in query.items():
        if is_invalid(name, text):
            kind = VALUES.get(name, _ANY) if _ANY.fits(text) else _ANY
            raise BadQuery(f"{name}={text[:MOST_LETTERS]!r}: expected {kind.expected}.")
