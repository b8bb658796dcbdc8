"""CSV text in which no value runs as a formula in a spreadsheet: an apostrophe precedes such text.

Numbers stay numbers, whatever their sign, and a single dash means none. JSON and Parquet contain text unchanged.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")  # spreadsheets accept the full-width forms, too
NONE = "-"


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Lines of CSV. None is an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerows([defused(value) if isinstance(value, str) else value for value in row] for row in rows)
    return buffer.getvalue()


def defused(text: str) -> str:
    return f"'{text}" if text[:1] in FORMULA_STARTS and text != NONE else text
