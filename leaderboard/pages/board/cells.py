"""The cells of a board's columns: text, value and note."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.formatting import LEAST_FOR_PERCENT, NBSP, NONE, interval, percent, rate, significant
from leaderboard.pages.base import entry_name, page_url
from leaderboard.pages.board.provenance import run_address
from leaderboard.pages.board.standings import Entry
from leaderboard.queries.boards import TaskRow
from leaderboard.statistics import Interval, Rate
from leaderboard.statistics.limits import MISSING
from leaderboard.statistics.paper import PaperColumns, RunSpread
from leaderboard.statistics.samples import NO_SAMPLES, PassAtK
from leaderboard.statistics.speed import Outcomes, SpeedEstimate
from leaderboard.tables import Cell

NOT_SEPARABLE = "no significant difference from first"


def ratio_interval(found: Interval) -> str:
    """Text such as 1.21 to 1.93×."""
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
    """Number of runs, with a link to the run, or to the list where there are several."""
    return Cell(str(len(entry.runs)), len(entry.runs), run_address(entry))


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


def pass_cell(found: PassAtK) -> Cell:
    """A share, or below ten tasks the number of tasks that k samples are expected to solve."""
    if found.share is None or found.tasks is None:
        notes = {NO_SAMPLES: "", MISSING: "results missing"}
        return Cell(NONE, note=notes.get(found.refused or "", f"needs {found.k} runs"))
    if found.of < LEAST_FOR_PERCENT:
        return Cell(f"{found.tasks:.3g}{NBSP}of{NBSP}{found.of}", found.share)
    return Cell(percent(found.share), found.share)


def number_cell(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(f"{value:.1f}", value)


def spread_cell(found: RunSpread | None) -> Cell:
    if found is None or found.value is None:
        return Cell(NONE)
    sigma = f"{NBSP}±{NBSP}{found.sigma_r:.2f}" if found.sigma_r is not None else ""
    return Cell(f"{found.value:.2f}{sigma}×", found.value)


def top_task_cell(found: PaperColumns | None, tasks: Sequence[TaskRow]) -> Cell:
    """Share of the task that adds most to the mean, with the task's name."""
    if found is None or found.top_task is None or found.top_task_share is None:
        return Cell(NONE)
    return Cell(percent(found.top_task_share), found.top_task_share, note=tasks[found.top_task].name)
