"""Checks numbers and names that an agent or a server reports; an impossible value counts as not reported."""

from __future__ import annotations

from evaluator.codec import plain_text
from evaluator.records.sessions import LARGEST

MAX_NAME = 200  # characters of a model's or a tool's name


def count(value: object, most: float = LARGEST["output_tokens"]) -> int | None:
    return value if type(value) is int and 0 <= value <= most else None


def total(*values: object) -> int | None:
    """The sum of the valid counts; None if there is none, or the sum is too large to be a count."""
    known = [number for value in values if (number := count(value)) is not None]
    return count(sum(known)) if known else None


def part(value: int | None, whole: int | None) -> int | None:
    """A count that is part of another one, capped at that one."""
    return value if value is None or whole is None else min(value, whole)


def amount(value: object) -> float | None:
    """US dollars, or None for anything else. Python's JSON reader accepts infinity."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST["cost_usd"]
    return float(value) if good else None  # type: ignore[arg-type]


def name(value: object) -> str | None:
    return plain_text(value)[:MAX_NAME] if isinstance(value, str) else None
