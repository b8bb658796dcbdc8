"""The way to every page that looks at all results from one side."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.pages.base import Link, Page, Query, by_slug, page_url
from leaderboard.tables import Cell, Column, table

# Route, title, what it answers; in the order in which they are listed.
VIEWS = (
    ("failures", "What goes wrong", "How answers end, why, and an example of each: builds, outputs, unseen cases."),
    ("portability", "From device to device", "The same configuration on several device classes, task by task."),
    ("cost", "What it costs", "Tokens and speedup in a paper, and what judging takes here."),
    ("audits", "Audits", "What people found when they looked at a result, with the lines that show it."),
    ("noise", "How still the hosts are", "A kernel against itself, each time a host was calibrated, and what changed."),
)


@dataclass(frozen=True, slots=True)
class View:
    title: str
    answers: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisPage(Page):
    views: tuple[View, ...]


def build(query: Query) -> AnalysisPage:
    views = tuple(View(title, answers, page_url(route)) for route, title, answers in VIEWS)
    columns = (Column("title", "Page"), Column("answers", "What it shows"))
    rows = [(Cell(view.title, view.title, view.url), Cell(view.answers, view.answers)) for view in views]
    return AnalysisPage(
        title="Analysis",
        lead="All results, each time from one side: a board says who is ahead, these pages say why and where.",
        crumbs=(Link("ArenaBoard", "/"),),
        tables=by_slug(table("views", "Pages", columns, rows, "")),
        views=views,
    )
