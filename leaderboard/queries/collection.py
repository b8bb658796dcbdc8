"""Rows of one kind for who takes all of them: page by page, or in a stream.

They come by ascending id, each query starting behind the last row: none is met twice, and a new one comes at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from django.db.models import QuerySet

from leaderboard.problems import BadQuery

Kind = Literal["text", "integer", "number", "truth", "moment", "json"]
Rows = QuerySet[Any]
MOST_ID = 10**15
NUMBERS = ("run", "result", "version")  # filters that are whole numbers
AT_ONCE = 5000  # rows of one query of a stream; 2 MB of measurements


@dataclass(frozen=True, slots=True)
class CollectionField:
    name: str
    kind: Kind
    about: str
    source: str = ""  # the column, from the collection's rows; the name itself where it is the same

    @property
    def column(self) -> str:
        return self.source or self.name


@dataclass(frozen=True, slots=True)
class Collection:
    name: str
    about: str
    public: Callable[[], Rows]
    fields: tuple[CollectionField, ...]
    filters: Mapping[str, str]  # name in a query → lookup

    @property
    def header(self) -> list[str]:
        return [field.name for field in self.fields]

    def narrowed(self, query: Mapping[str, str]) -> Rows:
        """
        Raises:
            BadQuery: a value cannot be meant.
        """
        wanted = {self.filters[name]: _value(name, text) for name, text in query.items() if name in self.filters}
        return self.public().filter(**wanted)

    def page(self, rows: Rows, after: int, limit: int) -> list[tuple[Any, ...]]:
        """Rows with ids above `after`."""
        columns = [field.column for field in self.fields]
        return list(rows.filter(pk__gt=after).order_by("pk").values_list(*columns)[:limit])

    def stream(self, rows: Rows) -> Iterator[list[tuple[Any, ...]]]:
        """All of them, some thousand at once: no query stays open while a slow reader reads."""
        after = 0
        while page := self.page(rows, after, AT_ONCE):
            yield page
            after = page[-1][0]


def fields(*lines: str) -> tuple[CollectionField, ...]:
    """Each line: name, kind, column or -, meaning."""
    found = []
    for line in lines:
        name, kind, source, about = line.split(maxsplit=3)
        found.append(CollectionField(name, kind, about, "" if source == "-" else source))  # type: ignore[arg-type]
    return tuple(found)


def of_run(way: str) -> dict[str, str]:
    """What a run can be found by: the same words as on the pages."""
    return {
        "suite": f"{way}suite__name",
        "version": f"{way}suite__version",
        "device": f"{way}device_class__slug",
        "protocol": f"{way}protocol",
        "configuration": f"{way}configuration__slug",
        "agent": f"{way}configuration__agent__name",
        "model": f"{way}configuration__model__name",
        "origin": f"{way}origin",
        "verification": f"{way}verification",
        "since": f"{way}published_at__date__gte",
    }


def of_task(way: str) -> dict[str, str]:
    """And a task."""
    return {"task": f"{way}path", "category": f"{way}category", "source": f"{way}source"}


def whole(name: str, text: str, low: int, high: int) -> int:
    """
    Raises:
        BadQuery: it is no whole number from `low` to `high`.
    """
    if text.isascii() and text.isdigit() and len(text) < 17 and low <= int(text) <= high:
        return int(text)
    raise BadQuery(f"{name}={text[:60]!r}: expected a whole number from {low} to {high}.")


def _value(name: str, text: str) -> object:
    if name in NUMBERS:
        return whole(name, text, 0, MOST_ID)
    try:
        return READ.get(name, _text)(text)
    except ValueError as error:
        raise BadQuery(f"{name}={text[:60]!r}: {error}.") from error


def _text(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a character that no row has")
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


READ: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("may_rank", "is_current"), _truth),
    "since": _day,
}
