"""Filters of the lists of runs and tasks, as query parameters. `query_values` says what becomes of other values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Self
from urllib.parse import urlencode

from leaderboard.formatting import listed
from leaderboard.words import ALL, CATEGORIES, RUN_STATES, operator_type

LAST_PAGE = 10_000


@dataclass(frozen=True, slots=True)
class RunFilter:
    suite: str = ""
    device: str = ""
    configuration: str = ""
    protocol: str = ""
    state: str = ""
    page: int = 1

    @classmethod
    def from_query(cls, query: Any) -> Self:
        words = {name: query.get(name, "")[:100] for name in ("suite", "device", "configuration", "protocol")}
        state, page = query.get("state", ""), query.get("page", "1")
        number = int(page) if page.isascii() and page.isdigit() and len(page) < 6 else 1
        return cls(**words, state=state if state in RUN_STATES else "", page=min(max(number, 1), LAST_PAGE))

    def url(self, **changes: Any) -> str:
        """The query string with these changes, on the first page unless `page` is given."""
        changed = replace(self, **({"page": 1} | changes))
        given = {name: value for name, value in asdict(changed).items() if value not in ("", 1)}
        return f"?{urlencode(given)}" if given else "?"

    @property
    def sentence(self) -> str:
        parts = [f"on suite {self.suite}"] if self.suite else []
        parts += [f"on {self.device}"] if self.device else []
        parts += [f"of {self.configuration}"] if self.configuration else []
        parts += [f"under {self.protocol}"] if self.protocol else []
        kind = f"{RUN_STATES[self.state][0]} runs" if self.state else "All runs"
        return f"{kind[0].upper()}{kind[1:]} {listed(parts)}".strip() + ", newest first."


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Facets of tasks."""

    category: str = ""
    source: str = ""
    operator: str = ""

    @classmethod
    def from_query(cls, query: Any) -> Self:
        category = query.get("category", "")
        source, operator = (query.get(name, "")[:100] for name in ("source", "operator"))
        category = category if category in CATEGORIES and category != ALL else ""
        return cls(category, source, operator_type(operator))

    def url(self, **changes: str) -> str:
        """The query string with these changes; empty if nothing is chosen."""
        given = {name: value for name, value in asdict(replace(self, **changes)).items() if value}
        return f"?{urlencode(given)}" if given else ""

    def includes(self, task: Any) -> bool:
        return all(value in ("", getattr(task, name)) for name, value in asdict(self).items())
