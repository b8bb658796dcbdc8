"""Row ids as they arrive from outside: an id beyond 64 bits would be an error of the database."""

from __future__ import annotations

import re

from django.urls.converters import IntConverter

FIGURES = "0|[1-9][0-9]{0,17}"  # 18 nines still fit into 64 bits; with leading zeros, a page has many addresses


class RowConverter(IntConverter):
    """The path converter `<row:…>`: a number too long for a row id does not match, so the page is not found."""

    regex = FIGURES


def is_row(text: str) -> bool:
    """Return whether the text is a possible row id."""
    return re.fullmatch(FIGURES, text) is not None
