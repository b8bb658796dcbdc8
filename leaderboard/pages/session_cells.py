"""Texts and cells for agents' sessions, shared by several pages. What is not reported is never shown as zero."""

from __future__ import annotations

from leaderboard.formatting import NONE, plural, seconds
from leaderboard.queries.sessions import SessionRow
from leaderboard.tables import Cell
from leaderboard.words import ENDINGS, NO_SESSION_END

COST_SOURCES = {
    "agent": "as reported by the agent",
    "prices": "from its tokens and the configuration's prices",
    "free": "no model is called",
}
NOT_REPORTED = "not reported"
COUNTS = {
    "turns": "Turns",
    "output_tokens": "Output tokens",
    "input_tokens": "Input tokens",
    "cached_input_tokens": "Cached input tokens",
    "tool_calls": "Tool calls",
}


def usd(amount: float) -> str:
    """Format an amount of US dollars: in cents, small amounts to a hundredth of a cent."""
    if amount == 0 or amount >= 0.995:
        return f"{amount:,.2f}\u00a0USD"
    return f"{amount:.4f}\u00a0USD" if amount >= 0.00005 else "< 0.0001\u00a0USD"


def count_text(number: int | None) -> str:
    return NOT_REPORTED if number is None else f"{number:,}".replace(",", "\u202f")


def usage_cell(number: int | None) -> Cell:
    return Cell(count_text(number), number)


def cost_cell(row: SessionRow) -> Cell:
    """The cost with its source, or why it is unknown."""
    if row.cost_usd is None:
        return Cell(NONE if not row.ended else "unknown", None, note=row.no_cost_because)
    return Cell(usd(row.cost_usd), row.cost_usd, note=COST_SOURCES[row.cost_source])


def ending_cell(row: SessionRow) -> Cell:
    word = ENDINGS[row.ended] if row.ended else NO_SESSION_END["running" if row.is_running else "lost"]
    return Cell(word.label, row.ended or None, note=row.message, tone=word.tone, mark=word.mark)


def seconds_cell(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(seconds(value), round(value, 3))


def checks_text(row: SessionRow) -> str:
    """The number of distinct versions, and of those that did not build."""
    text = plural(row.checks, "version")
    return f"{text}, {row.failed_builds} did not build" if row.failed_builds else text
