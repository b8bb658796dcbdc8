"""What an agent or a server says of itself, as far as it can be: counts, money, names. What cannot be was not said."""

from __future__ import annotations

from evaluator.codec import plain_text
from evaluator.records.sessions import LARGEST

MAX_NAME = 200  # characters of a model's or a tool's name


def count(value: object, most: float = LARGEST["output_tokens"]) -> int | None:
    return value if type(value) is int and 0 <= value <= most else None


def total(*values: object) -> int | None:
    """None if nothing is known, or the sum is no count any more."""
    known = [number for value in values if (number := count(value)) is not None]
    return count(sum(known)) if known else None


def part(value: int | None, whole: int | None) -> int | None:
    """Of a part of something else, at most that."""
    return value if value is None or whole is None else min(value, whole)


def amount(value: object) -> float | None:
    """US dollars; JSON knows no infinity, but Python reads one."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST["cost_usd"]
    return float(value) if good else None  # type: ignore[arg-type]


def name(value: object) -> str | None:
    return plain_text(value)[:MAX_NAME] if isinstance(value, str) else None
