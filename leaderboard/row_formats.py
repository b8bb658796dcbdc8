"""Rows of a collection as JSON and as CSV; the columns and the values are the same."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from leaderboard.encoding import encode
from leaderboard.queries.collection import Collection, Kind, Rows
from leaderboard.tables import defused


def objects(collection: Collection, page: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    names = collection.header
    return [dict(zip(names, encode(row), strict=True)) for row in page]


def csv_chunks(collection: Collection, rows: Rows) -> Iterator[str]:
    """The header, then some thousand lines at once."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(collection.header)
    changed = [(at, PLAIN[field.kind]) for at, field in enumerate(collection.fields) if field.kind in PLAIN]
    for page in collection.stream(rows):
        writer.writerows(_plain(row, changed) for row in page)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def as_text(value: object) -> str | None:
    """A column of lists or mappings, for formats that have none."""
    return None if value is None else json.dumps(value, sort_keys=True, ensure_ascii=False)


def moment_text(value: datetime | None) -> str | None:
    return None if value is None else value.astimezone(UTC).isoformat().replace("+00:00", "Z")


PLAIN: dict[Kind, Callable[[Any], Any]] = {
    "text": lambda text: defused(text) if text else text,
    "truth": {True: "true", False: "false", None: None}.__getitem__,
    "moment": moment_text,
    "json": as_text,
}


def _plain(row: tuple[Any, ...], changed: list[tuple[int, Callable[[Any], Any]]]) -> list[Any]:
    values = list(row)
    for at, change in changed:
        values[at] = change(values[at])
    return values
