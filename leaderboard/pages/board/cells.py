"""How the parts of an entry look in a cell of a board."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.formatting import NBSP, NONE, interval, percent, rate, significant
from leaderboard.pages.base import entry_name, page_url
from leaderboard.pages.board.standings import Entry
from leaderboard.queries.boards import TaskRow
from leaderboard.statistics import Interval, Rate
from leaderboard.statistics.paper import PaperColumns, RunSpread
from leaderboard.statistics.speed import Outcomes, SpeedEstimate
from leaderboard.tables import Cell

NOT_SEPARABLE = "not separable from first"


def ratio_interval(found: Interval) -> str:
    """1.21 to 1.93×"""
    return f"{significant(found.low)} to {significant(found.high)}×"


def rank_cell(entry: Entry) -> Cell:
    if entry.rank is None:
        return Cell(NONE)
    found = entry.rank_interval
    if found is None:
        return Cell(str(entry.rank), entry.rank)
    note = f"{found.low}{NBSP}to{NBSP}{found.high}" if found.low != found.high else ""
    return Cell(str(entry.rank), entry.rank, note=note)


def name_cell(entry: Entry) -> Cell:
    name, note = entry_name(entry.agent, entry.model), ""
    if entry.role == "entry":
        note = entry.not_ranked_because or ""
    if entry.rank and entry.rank > 1 and entry.rank_interval and not entry.rank_interval.is_separable:
        note = NOT_SEPARABLE
    return Cell(name, name, page_url("configuration", entry.configuration), note)


def runs_cell(entry: Entry) -> Cell:
    """Leads to the one run, or to the list of them."""
    runs = entry.runs
    url = page_url("run", runs[0]) if len(runs) == 1 else f"{page_url('runs')}?configuration={entry.configuration}"
    return Cell(str(len(runs)), len(runs), url)


def speed_cell(found: SpeedEstimate | None) -> Cell:
    if found is None:
        return Cell(NONE)
    if found.value is None:
        note = f"at least {significant(found.worst)}×" if found.worst is not None else ""
        return Cell(NONE, None, note=note)
    note = f"95{NBSP}%: {ratio_interval(found.tasks)}" if found.tasks else ""
    return Cell(f"{significant(found.value)}×", found.value, note=note)


def outcomes_cell(found: Outcomes | None) -> Cell:
    if found is None:
        return Cell(NONE)
    note = f"{found.unknown}{NBSP}unknown" if found.unknown else ""
    return Cell(f"{found.win}, {found.tie}, {found.loss}, {found.fail}", found.win, note=note)


def rate_cell(found: Rate) -> Cell:
    if found.share is None:
        if found.worst is None or found.best is None:
            return Cell(NONE)
        return Cell(f"{found.count} so far", None, note=f"{interval(found.worst, found.best)} in the end")
    note = f"95 %: {interval(found.interval.low, found.interval.high)}" if found.interval else ""
    return Cell(rate(found.count, found.of), found.share, note=note)


def number_cell(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(f"{value:.1f}", value)


def spread_cell(found: RunSpread | None) -> Cell:
    if found is None or found.value is None:
        return Cell(NONE)
    sigma = f"{NBSP}±{NBSP}{found.sigma_r:.2f}" if found.sigma_r is not None else ""
    return Cell(f"{found.value:.2f}{sigma}×", found.value)


def top_task_cell(found: PaperColumns | None, tasks: Sequence[TaskRow]) -> Cell:
    """The largest task's part of the mean, with the task's name."""
    if found is None or found.top_task is None or found.top_task_share is None:
        return Cell(NONE)
    return Cell(percent(found.top_task_share), found.top_task_share, note=tasks[found.top_task].name)
