"""Rows of a collection as JSON and as CSV; the columns and the values are the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from leaderboard.csv_text import csv_text
from leaderboard.encoding import encode
from leaderboard.queries.collection import Collection, CollectionField, Kind, Rows


def objects(collection: Collection, page: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    names = collection.header
    return [dict(zip(names, encode(row), strict=True)) for row in page]


class CsvText:
    """Writes rows of these fields as CSV, some at once."""

    def __init__(self, fields: tuple[CollectionField, ...]) -> None:
        self._header = [field.name for field in fields]
        self._changed = [(at, PLAIN[field.kind]) for at, field in enumerate(fields) if field.kind in PLAIN]

    def header(self) -> str:
        return csv_text([self._header])

    def lines(self, page: Iterable[tuple[Any, ...]]) -> str:
        return csv_text(_plain(row, self._changed) for row in page)


def csv_chunks(collection: Collection, rows: Rows) -> Iterator[str]:
    """The header, then some thousand lines at once."""
    text = CsvText(collection.fields)
    yield text.header()
    yield from map(text.lines, collection.stream(rows))


def as_text(value: object) -> str | None:
    """A column of lists or mappings, for formats that have none."""
    return None if value is None else json.dumps(value, sort_keys=True, ensure_ascii=False)


def moment_text(value: datetime | None) -> str | None:
    return None if value is None else value.astimezone(UTC).isoformat().replace("+00:00", "Z")


PLAIN: dict[Kind, Callable[[Any], Any]] = {
    "truth": {True: "true", False: "false", None: None}.__getitem__,
    "moment": moment_text,
    "json": as_text,
}


def _plain(row: tuple[Any, ...], changed: list[tuple[int, Callable[[Any], Any]]]) -> list[Any]:
    values = list(row)
    for at, change in changed:
        values[at] = change(values[at])
    return values
