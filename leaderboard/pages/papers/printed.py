"""The tables of a paper as they are loaded, text as printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from leaderboard.pages.published import Paper, printed_table
from leaderboard.pages.section import Shown
from leaderboard.queries import published
from leaderboard.queries.published import PaperTable

NOT_LOADED = "The paper's tables are not all loaded here. Load them with `manage.py load_published`."
Rows = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class PrintedTables:
    """A paper's tables. Only a whole set is drawn and checked."""

    papers: tuple[PaperTable, ...]
    rows: dict[str, list[dict[str, str]]]  # by table
    is_whole: bool

    @classmethod
    def load(cls, slugs: Sequence[str]) -> Self:
        found = published.whole_tables(slugs)
        rows = {slug: rows for slug, (_, rows) in found.items()}
        return cls(tuple(table for table, _ in found.values()), rows, set(rows) == set(slugs))

    @property
    def sources(self) -> tuple[Paper, ...]:
        """Each table with its citation."""
        return tuple(Paper(*one[:7], one.size) for one in self.papers) if self.is_whole else ()

    def shown(self, slug: str, folded: str = "") -> Shown:
        [found] = [one for one in self.papers if one.slug == slug]
        return Shown(printed_table(found, self.rows[slug]), "printed", folded)
