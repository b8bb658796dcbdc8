"""What of a board is shown, wholly in its address. Odd values fall back to the default; no control needs JavaScript.

Filters of entries hide lines and change no number. Filters of tasks change numbers, and leave ranks to the whole board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time
from typing import Self
from urllib.parse import urlencode

from evaluator.records.record import PROTOCOL
from leaderboard.pages.base import Query
from leaderboard.pages.board.standings import Entry
from leaderboard.queries.boards import TaskRow
from leaderboard.query_values import is_odd
from leaderboard.words import ORIGINS, VERIFICATIONS

LONGEST = 100
SHARED = ("version", "protocol", "as_of", "agent", "model", "origin", "verification", "since", "source", "operator")


@dataclass(frozen=True, slots=True)
class Choice:
    """One control of the filter form: a list to choose from, or a day."""

    name: str
    label: str
    options: tuple[tuple[str, str, bool], ...] = ()  # value, text, chosen
    day: str | None = None


@dataclass(frozen=True, slots=True)
class BoardView:
    """Every part of a board's query; empty ones stay out of the address."""

    version: str = ""
    protocol: str = ""
    as_of: str = ""  # a day: what was published by its end
    view: str = ""  # paper: the paper's columns
    sort: str = ""
    agent: str = ""
    model: str = ""
    origin: str = ""
    verification: str = ""
    since: str = ""  # a day: entries with a run published on it or later
    source: str = ""
    operator: str = ""

    @classmethod
    def from_query(cls, query: Query) -> Self:
        given = {field.name: query.get(field.name, "")[:LONGEST] for field in fields(cls)}
        return cls(**{name: text for name, text in given.items() if not is_odd(name, text)})

    def query(self, **changes: str) -> str:
        """With the changes, as ?version=1&sort=name, or nothing."""
        changed = replace(self, **changes)
        kept = {field.name: getattr(changed, field.name) for field in fields(changed) if getattr(changed, field.name)}
        return f"?{urlencode(kept)}" if kept else ""

    @property
    def asked_protocol(self) -> str:
        return self.protocol or PROTOCOL

    @property
    def until(self) -> datetime | None:
        """The end of the day of `as_of`, in UTC."""
        return datetime.combine(date.fromisoformat(self.as_of), time.max, UTC) if self.as_of else None

    @property
    def filters_tasks(self) -> bool:
        return bool(self.source or self.operator)

    @property
    def is_filtered(self) -> bool:
        hiding = (self.agent, self.model, self.origin, self.verification, self.since, self.as_of)
        return self.filters_tasks or any(hiding)

    def keeps(self, task: TaskRow) -> bool:
        return self.source in ("", task.source) and self.operator in ("", task.operator)

    def shows(self, entry: Entry) -> bool:
        """Every run of the entry is of that origin and verified so far; its newest one is recent enough."""
        since = date.fromisoformat(self.since) if self.since else None
        return (
            self.agent in ("", entry.agent)
            and self.model in ("", entry.model)
            and (not self.origin or set(entry.origins) == {self.origin})
            and (not self.verification or set(entry.verifications) == {self.verification})
            and (since is None or entry.published_at.astimezone(UTC).date() >= since)
        )

    def choices(self, entries: Sequence[Entry], tasks: Sequence[TaskRow]) -> tuple[Choice, ...]:
        """The controls, each with what this board has to choose from."""
        return (
            self._choice("agent", "Agent", {entry.agent: entry.agent for entry in entries}),
            self._choice("model", "Model", {entry.model: entry.model for entry in entries if entry.model}),
            self._choice("origin", "Origin", ORIGINS),
            self._choice("verification", "Verification", VERIFICATIONS),
            self._choice("source", "Tasks from", {task.source: task.source for task in tasks}),
            self._choice(
                "operator", "Operator type", {task.operator: task.operator for task in tasks if task.operator}
            ),
            Choice("since", "Published since", day=self.since),
            Choice("as_of", "Board as of", day=self.as_of),
        )

    def _choice(self, name: str, label: str, values: dict[str, str]) -> Choice:
        chosen = getattr(self, name)
        named = sorted(values.items(), key=lambda pair: pair[1].casefold())
        options = [("", "any", not chosen), *((value, text, value == chosen) for value, text in named)]
        return Choice(name, label, tuple(options))
