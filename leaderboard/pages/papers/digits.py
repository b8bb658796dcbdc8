"""How far a printed figure and the same one recomputed agree."""

from __future__ import annotations

from typing import NamedTuple

from leaderboard.formatting import NBSP, NONE, significant
from leaderboard.tables import Cell


class Recomputed(NamedTuple):
    value: float | None
    basis: str  # from what it follows, or why nothing does


def agreeing_digits(printed: str, value: float) -> tuple[int, int]:
    """How many of the printed significant digits a value has when it is rounded to as many, and how many there are.

    A value that lies just between two roundings agrees with both.
    """
    whole, _, decimals = printed.removeprefix("-").partition(".")
    digits = max(1, len((whole + decimals).lstrip("0")))
    if abs(value - float(printed)) <= 0.5 * 10.0 ** -len(decimals) * (1 + 1e-9):
        return digits, digits
    shorter = range(digits - 1, 0, -1)
    return next((n for n in shorter if f"{value:.{n - 1}e}" == f"{float(printed):.{n - 1}e}"), 0), digits


def recomputed_cell(value: float | None, digits: int) -> Cell:
    """A value with one digit more than is printed."""
    if value is None:
        return Cell(NONE)
    text = str(value) if value == int(value) else significant(value, digits + 1)
    return Cell(text.removesuffix(".0"), value)


def digits_cell(value: float | None, agreeing: int, digits: int) -> Cell:
    if value is None:
        return Cell(NONE)
    tone, mark = ("good", "✓") if agreeing == digits else ("bad", "✕")
    return Cell(f"{agreeing}{NBSP}of{NBSP}{digits}", agreeing, tone=tone, mark=mark)


def agrees_cell(agrees: bool) -> Cell:
    return Cell("yes", True, tone="good", mark="✓") if agrees else Cell("no", False, tone="bad", mark="✕")
