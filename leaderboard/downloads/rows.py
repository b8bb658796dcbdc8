"""Rows of a collection as JSON and as CSV, with the same columns and values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from leaderboard.csv_text import csv_text
from leaderboard.encoding import encode
from leaderboard.queries.collection import Collection, Kind, Rows


def objects(collection: Collection, page: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    names = collection.header
    return [dict(zip(names, encode(row), strict=True)) for row in page]


def csv_chunks(collection: Collection, rows: Rows) -> Iterator[str]:
    """The header, then a few thousand lines at a time."""
    changed = [(at, PLAIN[field.kind]) for at, field in enumerate(collection.fields) if field.kind in PLAIN]
    yield csv_text([collection.header])
    for page in collection.stream(rows):
        yield csv_text(_plain(row, changed) for row in page)


def as_text(value: object) -> str | None:
    """A list or mapping as JSON text, for formats that have neither."""
    return None if value is None else json.dumps(value, sort_keys=True, ensure_ascii=False)


def moment_text(value: datetime | None) -> str | None:
    return None if value is None else value.astimezone(UTC).isoformat().replace("+00:00", "Z")


PLAIN: dict[Kind, Callable[[Any], Any]] = {
    "boolean": {True: "true", False: "false", None: None}.__getitem__,
    "datetime": moment_text,
    "json": as_text,
}


def _plain(row: tuple[Any, ...], changed: list[tuple[int, Callable[[Any], Any]]]) -> list[Any]:
    values = list(row)
    for at, change in changed:
        values[at] = change(values[at])
    return values
