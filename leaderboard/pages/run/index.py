"""The page that lists runs, with filters."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.filters import RunFilter
from leaderboard.pages.base import Page, Query, by_slug
from leaderboard.pages.run.lines import RunLine, run_line, runs_table
from leaderboard.queries import runs
from leaderboard.words import RUN_STATES

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class RunChoice:
    """One control of the filter form."""

    name: str
    label: str
    options: tuple[tuple[str, str, bool], ...]  # value, text, chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsPage(Page):
    filter: RunFilter
    runs: tuple[RunLine, ...]
    next: str | None
    previous: str | None
    choices: tuple[RunChoice, ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)


def build(query: Query) -> RunsPage:
    wanted = RunFilter.from_query(query)
    rows = runs.newest(
        PAGE_SIZE + 1,
        (wanted.page - 1) * PAGE_SIZE,
        suite=wanted.suite,
        device=wanted.device,
        configuration=wanted.configuration,
        protocol=wanted.protocol,
        state=wanted.state,
        drafts_from_elsewhere=True,
    )
    lines = tuple(run_line(row) for row in rows[:PAGE_SIZE])
    is_filtered = wanted != RunFilter()
    empty = (
        "No run matches these filters. Remove one."
        if is_filtered
        else "No runs yet. Yours can be the first: see Submit."
    )
    return RunsPage(
        title="Runs",
        lead="A run is one configuration on every task of a suite, on one device class.",
        tables=by_slug(runs_table(lines, wanted.sentence, empty)),
        filter=wanted,
        runs=lines,
        next=wanted.url(page=wanted.page + 1) if len(rows) > PAGE_SIZE else None,
        previous=wanted.url(page=wanted.page - 1) if wanted.page > 1 else None,
        choices=_choices(wanted),
        is_filtered=is_filtered,
    )


def _choices(wanted: RunFilter) -> tuple[RunChoice, ...]:
    found = runs.choices(drafts=True)
    return (
        choice("suite", "Suite", found.suites, wanted.suite),
        choice("device", "Device class", found.devices, wanted.device),
        choice("configuration", "Configuration", found.configurations, wanted.configuration),
        choice("protocol", "Protocol", found.protocols, wanted.protocol),
        choice("state", "State", list(RUN_STATES), wanted.state),
    )


def choice(name: str, label: str, values: list[str], chosen: str, empty: str = "any") -> RunChoice:
    options = [("", empty, not chosen), *((value, value, value == chosen) for value in values)]
    return RunChoice(name, label, tuple(options))
