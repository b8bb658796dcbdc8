"""CSV as everything here writes it: a text that a spreadsheet would run as a formula has an apostrophe before it.

Numbers are numbers, whatever their sign, and a single dash says "none". JSON and Parquet carry each text as it is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")  # the wide ones count as well where East Asian text is typed
NONE = "-"


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Lines of CSV. None is an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerows([defused(value) if isinstance(value, str) else value for value in row] for row in rows)
    return buffer.getvalue()


def defused(text: str) -> str:
    return f"'{text}" if text[:1] in FORMULA_STARTS and text != NONE else text
