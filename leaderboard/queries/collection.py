"""Collections of public rows of one kind, read page by page or as a stream.

Rows are ordered by id, and each query starts after the last row, so that no row appears twice and new ones come last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from django.db.models import QuerySet

from leaderboard.problems import BadQuery

Kind = Literal["text", "integer", "number", "boolean", "datetime", "json"]
Rows = QuerySet[Any]
MOST_ID = 10**15
NUMBERS = ("run", "result", "submission", "version")  # filters that are whole numbers
AT_ONCE = 5000  # rows of one query of a stream; 2 MB of measurements


@dataclass(frozen=True, slots=True)
class CollectionField:
    name: str
    kind: Kind
    about: str
    source: str = ""  # lookup of the column from the collection's rows; the name by default

    @property
    def column(self) -> str:
        return self.source or self.name


@dataclass(frozen=True, slots=True)
class Collection:
    name: str
    about: str
    public: Callable[[], Rows]
    fields: tuple[CollectionField, ...]
    filters: Mapping[str, str]  # query parameter → lookup

    @property
    def header(self) -> list[str]:
        return [field.name for field in self.fields]

    def narrowed(self, query: Mapping[str, str]) -> Rows:
        """The public rows that match the query.

        Raises:
            BadQuery: a value is invalid.
        """
        lookups = {self.filters[name]: _value(name, text) for name, text in query.items() if name in self.filters}
        return self.public().filter(**lookups)

    def page(self, rows: Rows, after: int, limit: int) -> list[tuple[Any, ...]]:
        """Values of the rows with ids above `after`, `limit` at most."""
        columns = [field.column for field in self.fields]
        return list(rows.filter(pk__gt=after).order_by("pk").values_list(*columns)[:limit])

    def stream(self, rows: Rows) -> Iterator[list[tuple[Any, ...]]]:
        """The rows, a few thousand at a time, so that no query stays open while a slow client reads."""
        after = 0
        while page := self.page(rows, after, AT_ONCE):
            yield page
            after = page[-1][0]


def fields(*lines: str) -> tuple[CollectionField, ...]:
    """Fields from lines of name, kind, column (or -) and meaning."""
    found = []
    for line in lines:
        name, kind, source, about = line.split(maxsplit=3)
        found.append(CollectionField(name, kind, about, "" if source == "-" else source))  # type: ignore[arg-type]
    return tuple(found)


def run_filters(prefix: str) -> dict[str, str]:
    """Filters on the run that `prefix` leads to, named like those of the pages."""
    return {
        "suite": f"{prefix}suite__name",
        "version": f"{prefix}suite__version",
        "device": f"{prefix}device_class__slug",
        "protocol": f"{prefix}protocol",
        "configuration": f"{prefix}configuration__slug",
        "agent": f"{prefix}configuration__agent__name",
        "model": f"{prefix}configuration__model__name",
        "trust": f"{prefix}trust",
        "since": f"{prefix}published_at__date__gte",
    }


def task_filters(prefix: str) -> dict[str, str]:
    """Filters on the task that `prefix` leads to."""
    return {"task": f"{prefix}path", "category": f"{prefix}category", "source": f"{prefix}source"}


def whole(name: str, text: str, low: int, high: int) -> int:
    """The number in `text`.

    Raises:
        BadQuery: it is not a whole number from `low` to `high`.
    """
    if text.isascii() and text.isdigit() and len(text) < 17 and low <= int(text) <= high:
        return int(text)
    raise BadQuery(f"{name}={text[:60]!r}: expected a whole number from {low} to {high}.")


def _value(name: str, text: str) -> object:
    if name in NUMBERS:
        return whole(name, text, 0, MOST_ID)
    try:
        return _READ.get(name, _text)(text)
    except ValueError as error:
        raise BadQuery(f"{name}={text[:60]!r}: {error}.") from error


def _text(text: str) -> str:
    if "\0" in text:
        raise ValueError("it contains a NUL character")
    return text


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("expected true or false")
    return text == "true"


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError("expected a day such as 2026-11-28") from error


_READ: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("may_rank", "is_current"), _truth),
    "since": _day,
}
