"""What a list shows, wholly in its URL. Odd values fall back to the default; every control is a link or a GET form."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Self
from urllib.parse import urlencode

from leaderboard.formatting import listed
from leaderboard.words import RUN_STATES

LAST_PAGE = 10_000


@dataclass(frozen=True, slots=True)
class RunFilter:
    suite: str = ""
    device: str = ""
    configuration: str = ""
    state: str = ""
    page: int = 1

    @classmethod
    def from_query(cls, query: Any) -> Self:
        words = {name: query.get(name, "")[:100] for name in ("suite", "device", "configuration")}
        state, page = query.get("state", ""), query.get("page", "1")
        number = int(page) if page.isascii() and page.isdigit() and len(page) < 6 else 1
        return cls(**words, state=state if state in RUN_STATES else "", page=min(max(number, 1), LAST_PAGE))

    def url(self, **changes: Any) -> str:
        """A query string with the changes; changing what is shown starts again at the first page."""
        changed = replace(self, **({"page": 1} | changes))
        kept = {name: value for name, value in asdict(changed).items() if value not in ("", 1)}
        return f"?{urlencode(kept)}" if kept else "?"

    @property
    def sentence(self) -> str:
        parts = [f"on suite {self.suite}"] if self.suite else []
        parts += [f"on {self.device}"] if self.device else []
        parts += [f"of {self.configuration}"] if self.configuration else []
        kind = f"{RUN_STATES[self.state][0]} runs" if self.state else "All runs"
        return f"{kind[0].upper()}{kind[1:]} {listed(parts)}".strip() + ", newest first."
