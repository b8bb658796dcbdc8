"""A section of a page of sections: each topic of such a page is a file that gives one or more of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.charts import Chart
from leaderboard.pages.base import Link
from leaderboard.tables import Table


@dataclass(frozen=True, slots=True)
class Shown:
    """A table in its place: the class that it is styled by, and the words under which it is folded away."""

    table: Table
    kind: str = ""
    folded: str = ""  # empty: open


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What is empty is left out. Its tables and charts are the page's, so CSV, JSON and SVG follow."""

    slug: str
    title: str
    text: str = ""
    formula: str = ""
    items: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[Shown, ...] = ()

    @property
    def is_in_columns(self) -> bool:
        """Whether its charts stand side by side; wide ones would be cut off."""
        return len(self.charts) > 1 and not any(chart.is_wide for chart in self.charts)


def tables_of(sections: Sequence[Section]) -> Mapping[str, Table]:
    return {shown.table.slug: shown.table for section in sections for shown in section.tables}


def charts_of(sections: Sequence[Section]) -> Mapping[str, Chart]:
    return {chart.slug: chart for section in sections for chart in section.charts}
