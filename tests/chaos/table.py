"""The table of outcomes of chaos tests, which pytest prints after them."""

from __future__ import annotations

from collections.abc import Iterator

from tests.cheats.ledger import Ledger

WIDTHS = (66, 18, 8)


def lines(ledger: Ledger) -> Iterator[str]:
    entries = ledger.entries("chaos").values()
    if entries:
        yield _line("case", "place", "seconds", "outcome")
    for entry in sorted(entries, key=lambda one: (one["place"], one["case"])):
        yield _line(entry["case"], entry["place"], f"{entry['seconds']:.1f}", entry["outcome"])


def _line(case: str, place: str, seconds: str, outcome: str) -> str:
    return f"{case:<{WIDTHS[0]}} {place:<{WIDTHS[1]}} {seconds:>{WIDTHS[2]}}  {outcome}"
