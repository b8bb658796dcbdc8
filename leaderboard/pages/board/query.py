"""The view of a board that its query string describes. `query_values` says what becomes of other values.

Filters on entries hide rows and change no number. Filters on tasks change the numbers; ranks stay those of all tasks,
unless the view is a cut: then it is the board of these tasks alone.
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
from leaderboard.query_values import is_invalid
from leaderboard.words import operator_type
from runs.trust import OF_RUNS

LONGEST = 100
SHARED = ("version", "protocol", "as_of", "agent", "model", "trust", "since", "source", "operator")


@dataclass(frozen=True, slots=True)
class Choice:
    """One control of the filter form: a list of options, or a date."""

    name: str
    label: str
    options: tuple[tuple[str, str, bool], ...] = ()  # value, text, is selected
    day: str | None = None


@dataclass(frozen=True, slots=True)
class BoardView:
    """The parameters of a board's query string; empty ones are left out of addresses."""

    version: str = ""
    protocol: str = ""
    as_of: str = ""  # a day: results published by the end of it
    view: str = ""  # paper: the paper's columns
    sort: str = ""
    agent: str = ""
    model: str = ""
    trust: str = ""
    since: str = ""  # a day: entries whose newest run was published on it or later
    source: str = ""
    operator: str = ""
    ranks: str = ""  # cut: over the tasks that the filters leave

    @classmethod
    def from_query(cls, query: Query) -> Self:
        given = {field.name: query.get(field.name, "")[:LONGEST] for field in fields(cls)}
        given["operator"] = operator_type(given["operator"])
        return cls(**{name: text for name, text in given.items() if not is_invalid(name, text)})

    def query(self, **changes: str) -> str:
        """Query string with these changes, such as ?version=1&sort=name; empty if there are no parameters."""
        changed = replace(self, **changes)
        given = {field.name: getattr(changed, field.name) for field in fields(changed) if getattr(changed, field.name)}
        return f"?{urlencode(given)}" if given else ""

    def hidden_inputs(self, names: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Names and values of the parameters that are set, for a form that does not change them."""
        return tuple((name, getattr(self, name)) for name in names if getattr(self, name))

    @property
    def asked_protocol(self) -> str:
        return self.protocol or PROTOCOL

    @property
    def until(self) -> datetime | None:
        """End of the day `as_of` in UTC."""
        return datetime.combine(date.fromisoformat(self.as_of), time.max, UTC) if self.as_of else None

    @property
    def filters_tasks(self) -> bool:
        return bool(self.source or self.operator)

    @property
    def is_cut(self) -> bool:
        return self.filters_tasks and self.ranks == "cut"

    @property
    def tasks_in_words(self) -> str:
        """Which tasks the filters leave."""
        named = (("operator type", self.operator), ("source", self.source))
        return " and ".join(f"{name} {value}" for name, value in named if value)

    @property
    def is_filtered(self) -> bool:
        entry_filters = (self.agent, self.model, self.trust, self.since, self.as_of)
        return self.filters_tasks or any(entry_filters)

    def includes(self, task: TaskRow) -> bool:
        return self.source in ("", task.source) and self.operator in ("", task.operator)

    def shows(self, entry: Entry) -> bool:
        """Whether the entry passes the filters."""
        since = date.fromisoformat(self.since) if self.since else None
        return (
            self.agent in ("", entry.agent)
            and self.model in ("", entry.model)
            and self.trust in ("", entry.trust)
            and (since is None or entry.published_at.astimezone(UTC).date() >= since)
        )

    def choices(self, entries: Sequence[Entry], tasks: Sequence[TaskRow]) -> tuple[Choice, ...]:
        """Controls of the filter form, with the values that occur on this board."""
        return (
            self._choice("agent", "Agent", {entry.agent: entry.agent for entry in entries}),
            self._choice("model", "Model", {entry.model: entry.model for entry in entries if entry.model}),
            self._choice("trust", "Trust", {one.value: one.label for one in OF_RUNS}),
            self._choice("source", "Tasks from", {task.source: task.source for task in tasks}),
            self._choice(
                "operator", "Operator type", {task.operator: task.operator for task in tasks if task.operator}
            ),
            self._choice("ranks", "Ranks over", {"cut": "the chosen tasks"}, empty="all tasks"),
            Choice("since", "Published since", day=self.since),
            Choice("as_of", "As of", day=self.as_of),
        )

    def _choice(self, name: str, label: str, values: dict[str, str], empty: str = "any") -> Choice:
        chosen = getattr(self, name)
        named = sorted(values.items(), key=lambda pair: pair[1].casefold())
        options = [("", empty, not chosen), *((value, text, value == chosen) for value, text in named)]
        return Choice(name, label, tuple(options))
