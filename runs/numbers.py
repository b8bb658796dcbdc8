"""What can be the number of a row, where somebody says one: 64 bits, of which databases take no more."""

from __future__ import annotations

import re

from django.urls.converters import IntConverter

FIGURES = "[0-9]{1,18}"  # 999…9 of them still fit


class RowConverter(IntConverter):
    """`<row:…>` in an address: a longer number is no address, where `<int:…>` would ask the database for it."""

    regex = FIGURES


def is_row(text: str) -> bool:
    """Whether a row can have this number."""
    return re.fullmatch(FIGURES, text) is not None
